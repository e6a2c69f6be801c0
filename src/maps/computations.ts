import { LRUCache } from 'lru-cache'
import type { Collection } from '../access/project.ts'
import { Limiter, type Requester } from '../concurrency/limiter.ts'
import type { Database } from '../db/database.ts'
import { ServiceError, unavailable } from '../errors.ts'
import type { Log } from '../log.ts'
import { computeAndKeep } from './computation.ts'
import type { MapLimits } from './limits.ts'

/** No connection waits in this queue, so a map may wait for as long as those before it take. */
const queueTimeoutMs = 2 * 60 * 60_000
const maxQueue = 20
/** For how long a failed map is not tried again, however often it is asked for. */
const afterFailureMs = 60_000
const maxFailures = 1_000

/** A map that is waiting or being computed. */
interface Computation {
  /** Somebody with a key, if anybody who asked for it has one. */
  readonly requester: { name: string; isKeyless: boolean; readonly signal: AbortSignal }
  isQueued: boolean
  /** 0 to 1. */
  progress: number
  /** Never rejects. */
  readonly ended: Promise<void>
}

/** Thrown to postpone a map because somebody with a key waits. */
class GivesWay extends Error {}

/**
 * Computes maps in the background: one large and one small map at a time, and one of each project.
 * The first request starts it, and all others wait for the same. It goes on when nobody asks any
 * more, because what was asked for once will be again. A map asked for only without a key starts
 * over after those asked for with one.
 */
export class MapComputations {
  readonly #database: Database
  readonly #limits: MapLimits
  readonly #log: Log
  readonly #large = new Limiter({ maxConcurrent: 1, queueTimeoutMs, maxQueue })
  readonly #small = new Limiter({ maxConcurrent: 1, queueTimeoutMs, maxQueue })
  readonly #ofCollections = new Map<number, Computation>()
  readonly #stopping = new AbortController()
  readonly #failures = new LRUCache<number, ServiceError>({ max: maxFailures, ttl: afterFailureMs })

  constructor(database: Database, limits: MapLimits, log: Log) {
    this.#database = database
    this.#limits = limits
    this.#log = log
  }

  /** @throws 503 if too many wait already; the error of a recent failure, which is 503 or 422 */
  async begin(
    { collectionId, vectors }: Pick<Collection, 'collectionId' | 'vectors'>,
    requester: Requester,
  ): Promise<Computation> {
    const { name, isKeyless = false } = requester
    const present = this.#ofCollections.get(collectionId)
    if (present !== undefined) {
      const isFirstWithKey = present.requester.isKeyless && !isKeyless
      if (isFirstWithKey) Object.assign(present.requester, { name, isKeyless })
      return present
    }
    const failure = this.#failures.get(collectionId)
    if (failure !== undefined) throw failure
    // A signal of its own, because the request ends long before the map is done.
    const signal = AbortSignal.any([this.#stopping.signal])
    const first = { name, isKeyless, signal }
    const limiter = vectors <= this.#limits.smallTexts ? this.#small : this.#large
    let refusal: unknown
    const computation: Computation = {
      requester: first,
      isQueued: true,
      progress: 0,
      ended: this.#makeInTurn(collectionId, first, limiter)
        .catch((error) => {
          refusal = error
        })
        .finally(() => this.#ofCollections.delete(collectionId)),
    }
    this.#ofCollections.set(collectionId, computation)
    // If the queue is full, the refusal comes within this round of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    if (refusal !== undefined) throw refusal
    return computation
  }

  /** The computation of a collection's map, if there is one. */
  of(collectionId: number): Computation | undefined {
    return this.#ofCollections.get(collectionId)
  }

  stop(): void {
    this.#stopping.abort()
  }

  async #makeInTurn(collectionId: number, requester: Requester, limiter: Limiter): Promise<void> {
    const compute = () => this.#compute(collectionId, requester, limiter)
    const task = () => this.#database.onBehalfOf(requester, compute)
    while (!(await limiter.run(task, requester))) {
      const computation = this.#ofCollections.get(collectionId)
      if (computation !== undefined) computation.isQueued = true
    }
  }

  /** @returns false if it gave way, and is still to be done */
  async #compute(collectionId: number, requester: Requester, limiter: Limiter): Promise<boolean> {
    const { signal } = requester
    const told = (progress: number) => {
      if (limiter.whoWaitsFor(requester) === 'with-key') throw new GivesWay()
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
      this.#failures.set(collectionId, error)
      this.#log.warn('a map could not be computed', { cause })
    }
    return true
  }
}
