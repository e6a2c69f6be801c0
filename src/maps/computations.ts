import type { Collection } from '../access/project.ts'
import { Limiter, type Requester } from '../concurrency/limiter.ts'
import type { Database } from '../db/database.ts'
import { ServiceError, unavailable } from '../errors.ts'
import type { Log } from '../log.ts'
import { computeAndKeep } from './computation.ts'
import type { MapLimits } from './limits.ts'

/** Nobody waits for it by a connection: it may stand in the queue for as long as those before it take. */
const queueTimeoutMs = 2 * 60 * 60_000
const maxQueue = 20
/** What failed is not tried again for so long, however often it is asked for. */
const afterFailureMs = 60_000
const maxFailures = 1_000

/** A map that is being made. */
export interface Computation {
  /** Who has asked for it: one with a key, where anybody of them has one. */
  readonly asker: { tenant: string; isKeyless: boolean; readonly signal: AbortSignal }
  isQueued: boolean
  /** 0 to 1. */
  progress: number
  /** Never rejects. */
  readonly ended: Promise<void>
}

/** Made later: somebody with a key waits. */
class GivesWay extends Error {}

/**
 * Makes maps in the background, a large and a small one at a time and one of each project: who asks first begins it,
 * and all others wait for the same. It is not given up when nobody asks any more: what was asked for once will be
 * again. One that was asked for without a key alone begins anew after those that were asked for with one.
 */
export class MapComputations {
  readonly #database: Database
  readonly #limits: MapLimits
  readonly #log: Log
  readonly #large = new Limiter({ maxConcurrent: 1, queueTimeoutMs, maxQueue })
  readonly #small = new Limiter({ maxConcurrent: 1, queueTimeoutMs, maxQueue })
  readonly #ofCollections = new Map<number, Computation>()
  readonly #stopping = new AbortController()
  readonly #failures = new Map<number, { readonly error: ServiceError; readonly at: number }>()

  constructor(database: Database, limits: MapLimits, log: Log) {
    this.#database = database
    this.#limits = limits
    this.#log = log
  }

  /** @throws 503 when too many wait already, or when it has just failed; then 422 too */
  async begin(
    { collectionId, vectors }: Pick<Collection, 'collectionId' | 'vectors'>,
    requester: Requester,
  ): Promise<Computation> {
    const { tenant, isKeyless = false } = requester
    const present = this.#ofCollections.get(collectionId)
    if (present !== undefined) {
      if (present.asker.isKeyless && !isKeyless) Object.assign(present.asker, { tenant, isKeyless })
      return present
    }
    this.#throwFailure(collectionId)
    // The request is over long before it is done.
    const signal = AbortSignal.any([this.#stopping.signal])
    const asker = { tenant, isKeyless, signal }
    const limiter = vectors <= this.#limits.smallTexts ? this.#small : this.#large
    let refusal: unknown
    const computation: Computation = {
      asker,
      isQueued: true,
      progress: 0,
      ended: this.#makeInTurn(collectionId, asker, limiter)
        .catch((error) => {
          refusal = error
        })
        .finally(() => this.#ofCollections.delete(collectionId)),
    }
    this.#ofCollections.set(collectionId, computation)
    // Who finds the queue full is refused within this round.
    await new Promise((resolve) => setImmediate(resolve))
    if (refusal !== undefined) throw refusal
    return computation
  }

  /** Of those that are being made. */
  of(collectionId: number): Computation | undefined {
    return this.#ofCollections.get(collectionId)
  }

  stop(): void {
    this.#stopping.abort()
  }

  async #makeInTurn(collectionId: number, own: Requester, limiter: Limiter): Promise<void> {
    const compute = () => this.#compute(collectionId, own, limiter)
    while (!(await limiter.run(() => this.#database.onBehalfOf(own, compute), own))) {
      const computation = this.#ofCollections.get(collectionId)
      if (computation !== undefined) computation.isQueued = true
    }
  }

  /** @returns false when it gave way, so that it is still to be done */
  async #compute(collectionId: number, own: Requester, limiter: Limiter): Promise<boolean> {
    const { signal } = own
    const told = (progress: number) => {
      if (limiter.whoWaitsFor(own) === 'with-key') throw new GivesWay()
      const computation = this.#ofCollections.get(collectionId)
      if (computation === undefined) return
      computation.isQueued = false
      computation.progress = Math.max(computation.progress, progress)
    }
    try {
      told(0)
      await computeAndKeep(this.#database, this.#limits, collectionId, { told, signal })
      this.#failures.delete(collectionId)
    } catch (cause) {
      if (cause instanceof GivesWay) return false
      if (signal.aborted) return true
      const error =
        cause instanceof ServiceError ? cause : unavailable('The map could not be computed', cause)
      this.#failures.set(collectionId, { error, at: performance.now() })
      const [oldest] = this.#failures.keys()
      if (this.#failures.size > maxFailures && oldest !== undefined) this.#failures.delete(oldest)
      this.#log.warn('a map could not be computed', { cause })
    }
    return true
  }

  #throwFailure(collectionId: number): void {
    const failure = this.#failures.get(collectionId)
    if (failure === undefined) return
    if (performance.now() - failure.at < afterFailureMs) throw failure.error
    this.#failures.delete(collectionId)
  }
}
