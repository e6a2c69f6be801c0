import { setTimeout } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { isInUse } from '../collections/collections.ts'
import { workerScript } from '../concurrency/worker-script.ts'
import { WorkerThread } from '../concurrency/worker-thread.ts'
import type { Database } from '../db/database.ts'
import { collections } from '../db/schema.ts'
import { unavailable } from '../errors.ts'
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

type Thread = WorkerThread<MapRequest, MapReply>

/** The share of the progress, 0 to 1, that reading all vectors counts for. */
const shareOfReading = 0.1
/** How often to report progress. */
const tellMs = 200
/** How often to check whether anybody can still ask for the map. */
const askMs = 2_000

interface Task {
  readonly told: (progress: number) => void
  readonly signal: AbortSignal
}

/**
 * Computes and stores the map of a project, unless the project is emptied or deleted meanwhile.
 * Changes while the vectors are read may or may not count: the map gets the revision from before.
 * @throws 422 if the project has become too large, ThreadEnded if there is not enough memory
 */
export async function computeAndKeep(
  database: Database,
  limits: MapLimits,
  collectionId: number,
  { told, signal }: Task,
): Promise<void> {
  const { db } = database.search
  // Read now, because the task may have waited for others.
  const [found] = await db
    .select({
      revision: collections.revision,
      dimensions: collections.dimensions,
      vectors: collections.vectors,
    })
    .from(collections)
    .where(eq(collections.collectionId, collectionId))
  if (found === undefined || found.dimensions === null) return
  const { revision, dimensions, vectors } = found
  const begun = performance.now()
  const thread: Thread = new WorkerThread(workerScript(import.meta.url, './worker.ts'), { signal })
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
    const isWanted = () => isInUse(db, collectionId)
    const tell = () => {
      const share = Atomics.load(progress, 0) / progressSteps
      told(shareOfReading + (1 - shareOfReading) * share)
    }
    const places = await finish(thread, isWanted, tell)
    if (places === undefined) return
    const seconds = (performance.now() - begun) / 1_000
    const points = keptPoints(textIds, places)
    await keepMap(database.bulk.db, { collectionId, revision, seconds, points })
  } finally {
    thread.stop()
  }
}

/** @returns undefined if nobody can ask for the map any more */
async function finish(thread: Thread, isWanted: () => Promise<boolean>, tell: () => void) {
  const made = thread.ask('compute')
  // If the map is given up, the thread is stopped and nobody awaits this.
  made.catch(() => {})
  for (let askedAt = 0; ; ) {
    const reply = await Promise.race([made, setTimeout(tellMs)])
    if (reply !== undefined || performance.now() - askedAt > askMs) {
      if (!(await isWanted())) return undefined
      askedAt = performance.now()
    }
    if (reply !== undefined) return reply.places
    tell()
  }
}
