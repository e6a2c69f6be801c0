import { Limiter, type LimiterLoad, type Requester } from '../../concurrency/limiter.ts'

const maxQueue = 1_000

export interface PoolLimiterOptions {
  readonly connections: number
  /** Of these, how many may be in use by what can wait for locks; all unless given. */
  readonly maxLocking?: number
  /** How long each of the two may be waited for: leave to lock, and a connection. */
  readonly queueTimeoutMs: number
}

/**
 * Who may use a connection of a pool now. Transactions and single writes can wait for locks for seconds;
 * where they may not use all connections, reads are answered meanwhile.
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

  /** Of the pool as a whole: a task waits in one of the two queues at a time. */
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

/** Another tenant: what waits for locks does not count to what its tenant may read at the same time. */
const asLocking = (requester: Requester): Requester => ({
  tenant: `${requester.tenant} (locking)`,
  isKeyless: requester.isKeyless === true,
  // Not copied: it is made when it is asked for, and most tasks end before that.
  get signal() {
    return requester.signal
  },
})
