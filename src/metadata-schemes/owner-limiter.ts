import { LRUCache } from 'lru-cache'
import { Limiter, type LimiterOptions } from '../concurrency/limiter.ts'

const limits: LimiterOptions = { maxConcurrent: 1, queueTimeoutMs: 10_000, maxQueue: 32 }
const slowForMs = 60_000
/** More owners than two threads can find to be slow within that time. */
const maxSlowOwners = 1_000

/**
 * Isolates owners from each other. Each may occupy at most one thread, and all owners of recently
 * slow schemas together at most one. So a thread always remains for the others, and nobody queues
 * behind the whole backlog of another owner. The limit is per owner and not per project, because a
 * hostile owner can have any number of projects.
 */
export class OwnerLimiter {
  readonly #owners = new Map<number, { limiter: Limiter; tasks: number }>()
  readonly #slowOwnersLimiter = new Limiter(limits)
  readonly #slowOwners = new LRUCache<number, true>({ max: maxSlowOwners, ttl: slowForMs })

  /**
   * @throws 503 if too many tasks of the owner, or of slow owners, are waiting, or one waits too
   * long
   */
  async run<T>(owner: number, task: (slow: boolean) => Promise<T>): Promise<T> {
    const entry = this.#owners.get(owner) ?? { limiter: new Limiter(limits), tasks: 0 }
    this.#owners.set(owner, entry)
    entry.tasks += 1
    try {
      return await entry.limiter.run(() =>
        this.#slowOwners.has(owner) ? this.#slowOwnersLimiter.run(() => task(true)) : task(false),
      )
    } finally {
      entry.tasks -= 1
      if (entry.tasks === 0) this.#owners.delete(owner)
    }
  }

  /** For the next minute, the owner shares one thread with all other slow owners. */
  markSlow(owner: number): void {
    this.#slowOwners.set(owner, true)
  }
}
