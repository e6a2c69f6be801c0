import { describe, expect, it } from 'vitest'
import { PoolLimiter } from '../../src/db/postgres/pool-limiter.ts'

const never = () => new Promise<never>(() => {})
/** The longest of a timer: what is left in a queue must not fail while other files are tested. */
const noTimeout = 2 ** 31 - 1
const options = { connections: 3, maxLocking: 2, queueTimeoutMs: noTimeout }

/** Somebody who may hang up. */
function someone(name: string) {
  const leaves = new AbortController()
  return { requester: { name, signal: leaves.signal }, leave: () => leaves.abort() }
}

describe('the limiter of a pool', () => {
  it('keeps a connection for reads, and queues what else may wait for locks', async () => {
    const limiter = new PoolLimiter(options)
    for (const name of ['a', 'b', 'c']) void limiter.lock(never, someone(name).requester)
    await expect.poll(() => limiter.load).toMatchObject({ running: 2, queued: 1 })
    await expect(limiter.read(async () => 'read', someone('d').requester)).resolves.toBe('read')
  })

  it('gives up the leave to lock of those who hang up while they wait for a connection', async () => {
    const limiter = new PoolLimiter(options)
    const ends: (() => void)[] = []
    const reading = () => new Promise<void>((resolve) => ends.push(resolve))
    const reads = ['a', 'b', 'c'].map((name) => limiter.read(reading, someone(name).requester))
    const gone = ['d', 'e'].map(someone)
    const waiting = gone.map(({ requester }) => limiter.lock(never, requester))
    await expect.poll(() => limiter.load).toMatchObject({ running: 3, queued: 2 })
    for (const { leave } of gone) leave()
    for (const task of waiting) await expect(task).rejects.toMatchObject({ kind: 'cancelled' })
    expect(limiter.load).toMatchObject({ running: 3, queued: 0 })
    for (const end of ends) end()
    await Promise.all(reads)
    await expect(limiter.lock(async () => 'done', someone('f').requester)).resolves.toBe('done')
    expect(limiter.load).toMatchObject({ running: 0, queued: 0, refused: 0 })
  })

  it('asks for no signal of a task that need not wait', async () => {
    const limiter = new PoolLimiter(options)
    const requester = {
      name: 'a',
      get signal(): AbortSignal {
        throw new Error('asked for')
      },
    }
    await expect(limiter.read(async () => 'read', requester)).resolves.toBe('read')
    await expect(limiter.lock(async () => 'done', requester)).resolves.toBe('done')
  })
})
