import { Limiter, type Requester, type WhoWaits } from '../concurrency/limiter.ts'
import { conflict } from '../errors.ts'

const queue = { queueTimeoutMs: 10_000, maxQueue: 20 }
const smallAtOnce = 4

export const oneAtATime = () =>
  conflict('You have one request for all neighbours at work already; wait until it has ended')

interface Job {
  end(): void
  /** Says who waits for the place of this job. */
  whoWaits(): WhoWaits
}

/**
 * Keeps long requests from taking all resources: only a few run at the same time, and only one of
 * each caller with a key. Small requests have places of their own. Callers without a key cannot be
 * told apart, so they wait in turn.
 */
export class Jobs {
  readonly #requesters = new Set<string>()
  readonly #large: Limiter
  readonly #small = new Limiter({ ...queue, maxConcurrent: smallAtOnce })

  /** @param atOnce how many large requests run at the same time */
  constructor(atOnce: number) {
    this.#large = new Limiter({ ...queue, maxConcurrent: atOnce })
  }

  /** @throws 409 if the caller already has one, 503 after too long a wait */
  async begin(requester: Requester, isSmall: boolean): Promise<Job> {
    const { name, isKeyless = false } = requester
    const limiter = isSmall ? this.#small : this.#large
    if (this.#requesters.has(name)) throw oneAtATime()
    if (!isKeyless) this.#requesters.add(name)
    return new Promise((resolve, reject) => {
      const whoWaits = () => limiter.whoWaitsFor(requester)
      const job = () => new Promise<void>((end) => resolve({ end, whoWaits }))
      void limiter
        .run(job, requester)
        .catch(reject)
        .finally(() => this.#requesters.delete(name))
    })
  }
}
