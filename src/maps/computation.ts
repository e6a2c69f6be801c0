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
import type { MapReply, MapRequest } from './messages.ts'
import { keptPoints } from './points.ts'
import { keepMap } from './stored.ts'

/** The share of the progress, 0 to 1, that reading all vectors counts for. */
const shareOfReading = 0.1

/** How often to report progress, and to check whether anybody can still ask for the map. */
const [tellMs, askMs] = [200, 2_000]

type Thread = WorkerThread<MapRequest, MapReply>

/**
 * Computes and stores the map of a project, unless the project is emptied or deleted meanwhile.
 * Changes while the vectors are read may or may not count: the map gets the revision from before.
 * @throws 422 if the project has become too large, ThreadEnded if there is not enough memory
 */
export async function computeAndKeep(
  database: Database,
  limits: MapLimits,
  collectionId: number,
  task: Task,
): Promise<void> {
  const { db } = database.search
  // Read now, because the task may have waited for others.
  const { revision, dimensions, vectors } = collections
  const [found] = await db
    .select({ revision, dimensions, vectors })
    .from(collections)
    .where(eq(collections.collectionId, collectionId))
  if (found === undefined || found.dimensions === null) return
  await computeOne(database, limits, { ...found, dimensions: found.dimensions, collectionId }, task)
}

interface Mapped {
  readonly collectionId: number
  readonly revision: number
  readonly dimensions: number
  readonly vectors: number
}

interface Task {
  readonly told: (progress: number) => void
  readonly signal: AbortSignal
}

async function computeOne(
  database: Database,
  limits: MapLimits,
  { collectionId, revision, dimensions, vectors }: Mapped,
  { told, signal }: Task,
): Promise<void> {
  const { db } = database.search
  const begun = performance.now()
  const thread: Thread = new WorkerThread(workerScript(import.meta.url, './worker.ts'))
  const stop = () => thread.stop()
  signal.addEventListener('abort', stop)
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
    const places = await finish(
      thread,
      () => isInUse(db, collectionId),
      () =>
        told(shareOfReading + ((1 - shareOfReading) * Atomics.load(progress, 0)) / progressSteps),
    )
    if (places === undefined) return
    const seconds = (performance.now() - begun) / 1_000
    const points = keptPoints(textIds, places)
    await keepMap(database.bulk.db, { collectionId, revision, seconds, points })
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
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
