import { describe, expect, it } from 'vitest'
import { Limiter } from '../../src/concurrency/limiter.ts'

const never = () => new Promise<never>(() => {})
/** The longest of a timer: what is left in a queue must not fail while other files are tested. */
const noTimeout = 2 ** 31 - 1
/** Each request has a signal of its own. */
const keyed = (name: string) => ({ name, signal: new AbortController().signal })

describe('a limiter', () => {
  it('runs no more tasks at once than allowed, in the order of their arrival', async () => {
    const limiter = new Limiter({ maxConcurrent: 2, queueTimeoutMs: 5_000, maxQueue: 100 })
    const order: number[] = []
    let running = 0
    let most = 0
    const task = (number: number) => async () => {
      order.push(number)
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
    }
    await Promise.all(Array.from({ length: 20 }, (_, number) => limiter.run(task(number))))
    expect(most).toBe(2)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  it('refuses a task that waits too long, and goes on with others', async () => {
    const limiter = new Limiter({ maxConcurrent: 1, queueTimeoutMs: 20, maxQueue: 100 })
    let release = () => {}
    const first = limiter.run(() => new Promise<void>((resolve) => (release = resolve)))
    await expect(limiter.run(never)).rejects.toMatchObject({ kind: 'unavailable' })
    release()
    await first
    await expect(limiter.run(async () => 'done')).resolves.toBe('done')
  })
})

describe('a request', () => {
  it('may wait for many tasks at once, without a warning', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    const limiter = new Limiter({ maxConcurrent: 1, queueTimeoutMs: 5_000, maxQueue: 100 })
    const requester = keyed('a')
    const task = () => new Promise(setImmediate)
    await Promise.all(Array.from({ length: 20 }, () => limiter.run(task, requester)))
    await new Promise(setImmediate)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })
})

describe('requesters', () => {
  const limits = { maxConcurrent: 8, queueTimeoutMs: 5_000, maxQueue: 1_000 }
  /** Tasks that run until they are let go. */
  function crowd(limiter: Limiter, name: string, size: number) {
    const releases: (() => void)[] = []
    let started = 0
    const tasks = Array.from({ length: size }, () =>
      limiter.run(() => {
        started += 1
        return new Promise<void>((resolve) => releases.push(resolve))
      }, keyed(name)),
    )
    return {
      started: () => started,
      end: async () => {
        for (let done = 0; done < size; done += 1) {
          await expect.poll(() => releases.length).toBeGreaterThan(0)
          releases.pop()?.()
        }
        await Promise.all(tasks)
      },
    }
  }

  it('leave one free for the next name, however many tasks each has', async () => {
    const limiter = new Limiter(limits)
    const [first, second] = [crowd(limiter, 'a', 50), crowd(limiter, 'b', 50)]
    expect(first.started()).toBe(6)
    expect(second.started()).toBe(1)
    await expect(limiter.run(async () => 'done', keyed('c'))).resolves.toBe('done')
    await Promise.all([first.end(), second.end()])
    expect(limiter.load).toMatchObject({ running: 0, queued: 0 })
  })

  it('are served round robin: one task does not wait behind a hundred of somebody else', async () => {
    const limiter = new Limiter({ maxConcurrent: 1, queueTimeoutMs: 5_000, maxQueue: 1_000 })
    const order: string[] = []
    const task = (name: string) =>
      limiter.run(async () => {
        order.push(name)
        await new Promise(setImmediate)
      }, keyed(name))
    const many = Array.from({ length: 100 }, () => task('many'))
    await Promise.all([...many, task('one')])
    expect(order.indexOf('one')).toBeLessThan(3)
  })

  it('cannot fill the queue for everybody', async () => {
    const limiter = new Limiter({ maxConcurrent: 1, queueTimeoutMs: 50, maxQueue: 10 })
    const many = Array.from({ length: 50 }, () => limiter.run(never, keyed('many')))
    const refused = Promise.allSettled(many.slice(1))
    expect(limiter.load.queued).toBe(8)
    void limiter.run(never, keyed('one')).catch(() => {})
    expect(limiter.load.queued).toBe(9)
    await refused
  })

  it('leave the queue when nobody waits for the task any more', async () => {
    const limiter = new Limiter({ maxConcurrent: 1, queueTimeoutMs: noTimeout, maxQueue: 10 })
    const leaves = new AbortController()
    void limiter.run(never)
    const waiting = limiter.run(never, { name: 'a', signal: leaves.signal })
    leaves.abort()
    await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' })
    const late = limiter.run(never, { name: 'a', signal: leaves.signal })
    await expect(late).rejects.toMatchObject({ kind: 'cancelled' })
    expect(limiter.load).toMatchObject({ running: 1, queued: 0 })
  })
})

describe('tenants without a key', () => {
  const keyless = (name: string) => ({ ...keyed(name), isKeyless: true })
  const limits = { maxConcurrent: 2, queueTimeoutMs: noTimeout, maxQueue: 8 }

  it('leave one place to the others, however many they are', async () => {
    const limiter = new Limiter(limits)
    for (const name of ['a', 'b', 'c']) void limiter.run(never, keyless(name))
    expect(limiter.load).toMatchObject({ running: 1, queued: 2 })
    await expect(limiter.run(async () => 'done', keyed('d'))).resolves.toBe('done')
    expect(limiter.load).toMatchObject({ running: 1, queued: 2 })
  })

  it('have the only place when it is free', async () => {
    const limiter = new Limiter({ ...limits, maxConcurrent: 1 })
    await expect(limiter.run(async () => 'done', keyless('a'))).resolves.toBe('done')
  })

  it('leave a part of the queue to the others', () => {
    const limiter = new Limiter(limits)
    void limiter.run(never)
    void limiter.run(never)
    const many = Array.from({ length: 20 }, (_, at) => limiter.run(never, keyless(`${at}`)))
    for (const task of many) task.catch(() => {})
    expect(limiter.load.queued).toBe(6)
    void limiter.run(never, keyed('one'))
    expect(limiter.load.queued).toBe(7)
  })

  it('are served alternately with those who have one, however many they are', async () => {
    const limiter = new Limiter({ ...limits, maxConcurrent: 1, maxQueue: 100 })
    const order: string[] = []
    const task = (requester: ReturnType<typeof keyed>) =>
      limiter.run(async () => void order.push(requester.name), {
        ...requester,
        signal: new AbortController().signal,
      })
    const others = Array.from({ length: 20 }, (_, at) => task(keyless(`${at}`)))
    await Promise.all([...others, ...['a', 'b', 'a'].map((name) => task(keyed(name)))])
    expect(order.slice(0, 7)).toEqual(['0', 'a', '1', 'b', '2', 'a', '3'])
  })

  it('leave some of what is theirs to one another', () => {
    const limiter = new Limiter({ ...limits, maxConcurrent: 10, maxQueue: 12 })
    const many = Array.from({ length: 100 }, () => limiter.run(never, keyless('many')))
    for (const task of many) task.catch(() => {})
    const { running, queued } = limiter.load
    expect({ running, queued }).toEqual({ running: 6, queued: 7 })
    void limiter.run(never, keyless('one'))
    expect(limiter.load).toMatchObject({ running: 7, queued })
  })

  it('wait for no place of who has a key, which waits for theirs', () => {
    const limiter = new Limiter(limits)
    void limiter.run(never, keyless('a'))
    void limiter.run(never, keyless('b'))
    expect(limiter.whoWaitsFor(keyless('a'))).toBe('others')
    void limiter.run(never, keyed('c'))
    // It may have but one of the two, so that it waits for nothing that an end would give it.
    void limiter.run(never, keyed('c'))
    expect(limiter.whoWaitsFor(keyed('c'))).toBe('nobody')
    expect(limiter.whoWaitsFor(keyless('a'))).toBe('others')
    void limiter.run(never, keyed('d'))
    expect(limiter.whoWaitsFor(keyless('a'))).toBe('with-key')
    expect(limiter.whoWaitsFor(keyed('c'))).toBe('others')
  })
})
