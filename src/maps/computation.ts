import { eq } from 'drizzle-orm'
import { isInUse } from '../collections/collections.ts'
import { readTextIds } from '../collections/keys.ts'
import { workerScript } from '../concurrency/worker-script.ts'
import { WorkerThread } from '../concurrency/worker-thread.ts'
import type { Database, Db } from '../db/database.ts'
import { collections } from '../db/schema.ts'
import { unavailable } from '../errors.ts'
import { readVectors, readVectorsOf } from '../vector-cache/read-vectors.ts'
import { type MapLimits, tooManyForMap } from './limits.ts'
import type { MapReply, MapRequest } from './messages.ts'
import { keptPoints } from './points.ts'
import { keepMap } from './stored.ts'

/** From which it is learnt in which directions vectors vary most. */
const sampleRows = 2_000

/** How far it is, 0 to 1, part by part: reading all vectors takes this share of the time. */
const shareOfReading = 0.1

type Thread = WorkerThread<MapRequest, MapReply>

/**
 * Computes the map of a project and keeps it, unless the project is emptied or deleted meanwhile. What is uploaded
 * or deleted while it is read may or may not count: the map has the revision that was there before.
 * @throws 422 when the project has become too large, ThreadEnded when there is not enough memory
 */
export async function computeAndKeep(
  database: Database,
  limits: MapLimits,
  collectionId: number,
  task: Task,
): Promise<void> {
  const { db } = database.search
  // As it is now: it may have waited for others.
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
    const isLarge = vectors * dimensions > limits.components
    const wanted = { collectionId, dimensions }
    const sample = isLarge ? await readSample(db, wanted, vectors) : undefined
    await thread.ask({ dimensions, sample })
    const textIds: string[] = []
    for await (const rows of readVectors(db, wanted)) {
      for (const { textId } of rows) textIds.push(textId)
      if (textIds.length > limits.texts) throw tooManyForMap(limits)
      if (sample === undefined && textIds.length * dimensions > 2 * limits.components) {
        throw unavailable('The project grows faster than a map can be made of it')
      }
      await thread.ask({ vectors: rows.map(({ vector }) => vector) })
      told(shareOfReading * Math.min(1, textIds.length / vectors))
    }
    const places = await finish(thread, db, collectionId, told)
    if (places === undefined) return
    const seconds = (performance.now() - begun) / 1_000
    const points = keptPoints(textIds, places)
    await keepMap(database.bulk.db, { collectionId, revision, seconds, points })
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** @returns undefined when nobody can ask for it any more */
async function finish(
  thread: Thread,
  db: Db,
  collectionId: number,
  told: (progress: number) => void,
) {
  for (let askedAt = 0; ; ) {
    const reply = await thread.ask('compute')
    const isOver = typeof reply !== 'number'
    if (isOver || performance.now() - askedAt > 2_000) {
      if (!(await isInUse(db, collectionId))) return undefined
      askedAt = performance.now()
    }
    if (isOver) return reply.places
    told(shareOfReading + (1 - shareOfReading) * reply)
  }
}

/** Vectors of texts at equal distances in the order of text_ids. */
async function readSample(
  db: Db,
  wanted: { readonly collectionId: number; readonly dimensions: number },
  total: number,
): Promise<string[]> {
  const step = Math.max(1, Math.floor(total / sampleRows))
  const chosen: string[] = []
  let at = 0
  for await (const textIds of readTextIds(db, wanted.collectionId, undefined)) {
    for (const textId of textIds) {
      if (at % step === 0) chosen.push(textId)
      at += 1
    }
  }
  const sample: string[] = []
  for await (const rows of readVectorsOf(db, wanted, chosen)) {
    for (const { vector } of rows) sample.push(vector)
  }
  return sample
}
