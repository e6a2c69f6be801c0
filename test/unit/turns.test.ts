import { describe, expect, it } from 'vitest'
import { Turns } from '../../src/turns.ts'

const never = () => new Promise<never>(() => {})

describe('taking turns', () => {
  it('runs no more tasks at once than allowed, in the order of their arrival', async () => {
    const turns = new Turns({ atOnce: 2, patienceMs: 5_000, waiting: 100 })
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
    await Promise.all(Array.from({ length: 20 }, (_, number) => turns.run(task(number))))
    expect(most).toBe(2)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  it('refuses a task whose turn does not come, and keeps its place free for others', async () => {
    const turns = new Turns({ atOnce: 1, patienceMs: 20, waiting: 100 })
    let release = () => {}
    const first = turns.run(() => new Promise<void>((resolve) => (release = resolve)))
    await expect(turns.run(never)).rejects.toMatchObject({ kind: 'unavailable' })
    release()
    await first
    await expect(turns.run(async () => 'done')).resolves.toBe('done')
  })

  it('refuses at once what would make the queue too long', async () => {
    const turns = new Turns({ atOnce: 1, patienceMs: 60_000, waiting: 1 })
    void turns.run(never)
    void turns.run(never)
    await expect(turns.run(never)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('passes the turn on after a task that fails', async () => {
    const turns = new Turns({ atOnce: 1, patienceMs: 1_000, waiting: 10 })
    await expect(turns.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    await expect(turns.run(async () => 'done')).resolves.toBe('done')
  })
})

describe('tenants', () => {
  const limits = { atOnce: 8, patienceMs: 5_000, waiting: 1_000 }
  const { signal } = new AbortController()
  /** Tasks that run until they are let go. */
  function crowd(turns: Turns, tenant: string, size: number) {
    const releases: (() => void)[] = []
    let started = 0
    const tasks = Array.from({ length: size }, () =>
      turns.run(
        () => {
          started += 1
          return new Promise<void>((resolve) => releases.push(resolve))
        },
        { tenant, signal },
      ),
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

  it('leave a place for the next one, however many tasks each has', async () => {
    const turns = new Turns(limits)
    const [first, second] = [crowd(turns, 'a', 50), crowd(turns, 'b', 50)]
    expect(first.started()).toBe(6)
    expect(second.started()).toBe(1)
    await expect(turns.run(async () => 'done', { tenant: 'c', signal })).resolves.toBe('done')
    await Promise.all([first.end(), second.end()])
    expect(turns.load).toMatchObject({ running: 0, waiting: 0 })
  })

  it('take turns: one task does not wait behind a hundred of somebody else', async () => {
    const turns = new Turns({ atOnce: 1, patienceMs: 5_000, waiting: 1_000 })
    const order: string[] = []
    const task = (tenant: string) =>
      turns.run(
        async () => {
          order.push(tenant)
          await new Promise(setImmediate)
        },
        { tenant, signal },
      )
    const many = Array.from({ length: 100 }, () => task('many'))
    await Promise.all([...many, task('one')])
    expect(order.indexOf('one')).toBeLessThan(3)
  })

  it('cannot fill the queue for everybody', async () => {
    const turns = new Turns({ atOnce: 1, patienceMs: 50, waiting: 10 })
    const many = Array.from({ length: 50 }, () => turns.run(never, { tenant: 'many', signal }))
    const refused = Promise.allSettled(many.slice(1))
    expect(turns.load.waiting).toBe(8)
    void turns.run(never, { tenant: 'one', signal }).catch(() => {})
    expect(turns.load.waiting).toBe(9)
    await refused
  })

  it('are let go when nobody waits for the task any more', async () => {
    const turns = new Turns({ atOnce: 1, patienceMs: 60_000, waiting: 10 })
    const leaves = new AbortController()
    void turns.run(never)
    const waiting = turns.run(never, { tenant: 'a', signal: leaves.signal })
    leaves.abort()
    await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' })
    const late = turns.run(never, { tenant: 'a', signal: leaves.signal })
    await expect(late).rejects.toMatchObject({ kind: 'cancelled' })
    expect(turns.load).toMatchObject({ running: 1, waiting: 0 })
  })
})
