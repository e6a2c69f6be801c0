import { Limiter, type Requester, type WhoWaits } from '../concurrency/limiter.ts'
import { conflict } from '../errors.ts'

const queue = { queueTimeoutMs: 10_000, maxQueue: 20 }
const smallAtOnce = 4

export const oneAtATime = () =>
  conflict('You have one request for all neighbours at work already; wait until it has ended')

interface Job {
  end(): void
  /** For the place of this one. */
  whoWaits(): WhoWaits
}

/**
 * Keeps requests that take long from taking everything: few at the same time, and one of each caller with a key.
 * Small ones have places of their own. Callers without a key cannot be told from each other, and wait in turn.
 */
export class Jobs {
  readonly #tenants = new Set<string>()
  readonly #large: Limiter
  readonly #small = new Limiter({ ...queue, maxConcurrent: smallAtOnce })

  /** @param atOnce how many that are not small */
  constructor(atOnce: number) {
    this.#large = new Limiter({ ...queue, maxConcurrent: atOnce })
  }

  /** @throws 409 when the caller has one already, 503 after waiting for too long */
  async begin(requester: Requester, isSmall: boolean): Promise<Job> {
    const { tenant, isKeyless = false } = requester
    const limiter = isSmall ? this.#small : this.#large
    if (this.#tenants.has(tenant)) throw oneAtATime()
    if (!isKeyless) this.#tenants.add(tenant)
    return new Promise((resolve, reject) => {
      const whoWaits = () => limiter.whoWaitsFor(requester)
      const job = () => new Promise<void>((end) => resolve({ end, whoWaits }))
      void limiter
        .run(job, requester)
        .catch(reject)
        .finally(() => this.#tenants.delete(tenant))
    })
  }
}
