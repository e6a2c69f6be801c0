import { availableParallelism } from 'node:os'
import { Limiter, type Requester, type WhoWaits } from '../concurrency/limiter.ts'
import { conflict } from '../errors.ts'

/** Each takes a processor for as long as it lasts. */
const maxAtOnce = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)))

export const oneAtATime = () =>
  conflict('You have one request for all neighbours at work already; wait until it has ended')

/** Keeps requests that take long from taking everything: few at the same time, and one of each tenant. */
export class Jobs {
  readonly #tenants = new Set<string>()
  readonly #limiter = new Limiter({
    maxConcurrent: maxAtOnce,
    queueTimeoutMs: 10_000,
    maxQueue: 20,
  })

  /** For the place of this one. */
  whoWaitsFor(requester: Requester): WhoWaits {
    return this.#limiter.whoWaitsFor(requester)
  }

  /** @returns what ends the job @throws 409 when the tenant has one already, 503 after waiting for too long */
  async begin(requester: Requester): Promise<() => void> {
    const { tenant } = requester
    if (this.#tenants.has(tenant)) throw oneAtATime()
    this.#tenants.add(tenant)
    return new Promise((resolve, reject) => {
      const job = () => new Promise<void>((end) => resolve(end))
      void this.#limiter
        .run(job, requester)
        .catch(reject)
        .finally(() => this.#tenants.delete(tenant))
    })
  }
}
