import { Limiter, type LimiterOptions } from '../concurrency/limiter.ts'

const limits: LimiterOptions = { maxConcurrent: 1, queueTimeoutMs: 10_000, maxQueue: 32 }
const slowForMs = 60_000

/**
 * Lets each owner occupy one thread at most, and all owners of recently slow schemas together one
 * at most: whatever some of them upload, a thread is left for the others, and owners wait for their
 * turns one by one instead of behind somebody's whole backlog. By owner, since who has one hostile
 * schema can have any number of them.
 */
export class OwnerLimiter {
  readonly #owners = new Map<number, { turns: Limiter; tasks: number }>()
  readonly #slowOwners = new Limiter(limits)
  readonly #slowUntil = new Map<number, number>()

  /** @throws 503 when too many are waiting or the turn does not come in time */
  async run<T>(owner: number, task: (slow: boolean) => Promise<T>): Promise<T> {
    const entry = this.#owners.get(owner) ?? { turns: new Limiter(limits), tasks: 0 }
    this.#owners.set(owner, entry)
    entry.tasks += 1
    try {
      return await entry.turns.run(() =>
        this.#isSlow(owner) ? this.#slowOwners.run(() => task(true)) : task(false),
      )
    } finally {
      entry.tasks -= 1
      if (entry.tasks === 0) this.#owners.delete(owner)
    }
  }

  /** For the next minute the owner shares one thread with all others who are slow. */
  setSlow(owner: number): void {
    const now = performance.now()
    for (const [other, until] of this.#slowUntil) {
      if (until > now) break
      this.#slowUntil.delete(other)
    }
    this.#slowUntil.delete(owner)
    this.#slowUntil.set(owner, now + slowForMs)
  }

  #isSlow(owner: number): boolean {
    return (this.#slowUntil.get(owner) ?? 0) > performance.now()
  }
}
