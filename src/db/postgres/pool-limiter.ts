import { Limiter, type LimiterLoad, type Requester } from '../../concurrency/limiter.ts'

const maxQueue = 1_000

export interface PoolLimiterOptions {
  readonly connections: number
  /** How many of them may be in use by tasks that can wait for locks; all by default. */
  readonly maxLocking?: number
  /** How long a task may wait for each of the two: leave to lock, and a connection. */
  readonly queueTimeoutMs: number
}

/**
 * Decides who may use a connection of a pool. Transactions and single writes can wait for locks for
 * seconds. If they may not use all connections, reads are answered meanwhile.
 */
export class PoolLimiter {
  readonly #connections: Limiter
  readonly #locking: Limiter | undefined

  constructor({ connections, maxLocking = connections, queueTimeoutMs }: PoolLimiterOptions) {
    this.#connections = new Limiter({ maxConcurrent: connections, queueTimeoutMs, maxQueue })
    if (maxLocking < connections) {
      this.#locking = new Limiter({ maxConcurrent: maxLocking, queueTimeoutMs, maxQueue })
    }
  }

  /** @throws as `Limiter.run` does */
  read<T>(task: () => Promise<T>, requester?: Requester): Promise<T> {
    return this.#connections.run(task, requester)
  }

  /** @throws as `Limiter.run` does */
  lock<T>(task: () => Promise<T>, requester?: Requester): Promise<T> {
    if (this.#locking === undefined) return this.read(task, requester)
    return this.#locking.run(() => this.read(task, requester && asLocking(requester)), requester)
  }

  /** The load of the pool as a whole: a task waits in one of the two queues at a time. */
  get load(): LimiterLoad {
    const load = this.#connections.load
    const locking = this.#locking?.load
    if (locking === undefined) return load
    return {
      ...load,
      queued: load.queued + locking.queued,
      waits: load.waits + locking.waits,
      waitedMs: load.waitedMs + locking.waitedMs,
      refused: load.refused + locking.refused,
    }
  }
}

/** A separate requester: tasks that wait for locks do not count towards their requester's reads. */
const asLocking = (requester: Requester): Requester => ({
  name: `${requester.name} (locking)`,
  isKeyless: requester.isKeyless === true,
  // The signal is not copied, because it is created on demand and most tasks end before that.
  get signal() {
    return requester.signal
  },
})
