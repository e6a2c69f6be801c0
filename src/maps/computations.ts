import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Collection } from '../access/project.ts'
import { isInUse } from '../collections/collections.ts'
import { Limiter, type Requester } from '../concurrency/limiter.ts'
import { workerScript } from '../concurrency/worker-script.ts'
import { WorkerThread } from '../concurrency/worker-thread.ts'
import type { Database } from '../db/database.ts'
import { ServiceError, unavailable } from '../errors.ts'
import type { Log } from '../log.ts'
import { readState } from '../search/held/collection-state.ts'
import { readVectors } from '../search/memory/read-vectors.ts'
import { type MapLimits, progressSteps, tooManyForMap } from './limits.ts'
import { keepMap, keptPoints } from './stored.ts'

/**
 * In this order: how many vectors to expect, the vectors in the form that `receivedVector` reads,
 * and the request for the map.
 */
export type MapRequest = VectorsToCome | { readonly vectors: readonly string[] } | 'compute'

export interface VectorsToCome {
  /** The number of vectors when they were counted. */
  readonly rows: number
  readonly dimensions: number
  /** Longer vectors are shortened to this. */
  readonly keptDimensions: number
  /** Where the thread stores its progress, from 0 to `progressSteps`. */
  readonly progress: Int32Array<SharedArrayBuffer>
}

/** x and y of each vector, once the map is computed. */
export type MapReply = { readonly places: Float32Array<ArrayBuffer> } | undefined

/** No connection waits in this queue, so a map may wait for as long as those before it take. */
const queueTimeoutMs = 2 * 60 * 60_000
const maxQueue = 20
/** For how long a failed map is not tried again, however often it is asked for. */
const afterFailureMs = 60_000
const maxFailures = 1_000
/** The share of the progress, 0 to 1, that reading all vectors counts for. */
const shareOfReading = 0.1
/** How often to report progress. */
const tellMs = 200

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
      ended: this.#computeInTurn(collectionId, first, limiter)
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

  async #computeInTurn(collectionId: number, first: Requester, limiter: Limiter): Promise<void> {
    const compute = () => this.#compute(collectionId, first, limiter)
    const task = () => this.#database.onBehalfOf(first, compute)
    while (!(await limiter.run(task, first))) {
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

interface Task {
  readonly told: (progress: number) => void
  readonly signal: AbortSignal
}

/**
 * Computes and stores the map of a project, unless the project is emptied or deleted meanwhile.
 * Changes while the vectors are read may or may not count: the map gets the revision from before.
 * @throws 422 if the project has become too large, ThreadEnded if there is not enough memory
 */
async function computeAndKeep(
  database: Database,
  limits: MapLimits,
  collectionId: number,
  { told, signal }: Task,
): Promise<void> {
  const { db } = database.search
  // Read now, because the task may have waited for others.
  const found = await readState(db, collectionId)
  if (found === undefined || found.dimensions === 0) return
  const { revision, dimensions, vectors } = found
  const begun = performance.now()
  const script = workerScript(import.meta.url, './worker.ts')
  const thread = new WorkerThread<MapRequest, MapReply>(script, { signal })
  try {
    const keptDimensions = Math.min(dimensions, Math.ceil(limits.components / Math.max(1, vectors)))
    const progress = new Int32Array(new SharedArrayBuffer(4))
    await thread.ask({ rows: vectors, dimensions, keptDimensions, progress })
    const textIds: string[] = []
    for await (const rows of readVectors(db, { collectionId, dimensions })) {
      for (const { textId } of rows) textIds.push(textId)
      if (textIds.length > limits.texts) throw tooManyForMap(limits)
      if (textIds.length * keptDimensions > 2 * limits.components) {
        throw unavailable('The project grows faster than a map can be made of it')
      }
      await thread.ask({ vectors: rows.map(({ vector }) => vector) })
      told(shareOfReading * Math.min(1, textIds.length / vectors))
    }
    const computing = thread.ask('compute')
    // If the map gives way, the thread is stopped and nobody awaits this.
    computing.catch(() => {})
    const next = () => Promise.race([computing, sleep(tellMs, 'pending' as const)])
    let reply = await next()
    while (reply === 'pending') {
      told(shareOfReading + (1 - shareOfReading) * (Atomics.load(progress, 0) / progressSteps))
      if (!(await isInUse(db, collectionId))) return
      reply = await next()
    }
    if (reply === undefined || !(await isInUse(db, collectionId))) return
    const seconds = (performance.now() - begun) / 1_000
    const points = keptPoints(textIds, reply.places)
    await keepMap(database.bulk.db, { collectionId, revision, seconds, points })
  } finally {
    thread.stop()
  }
}
