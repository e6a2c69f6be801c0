import { isInUse } from '../collections/collections.ts'
import type { WorkerThread } from '../concurrency/worker-thread.ts'
import type { Db } from '../db/database.ts'
import { conflict } from '../errors.ts'
import { readVectors, type VectorsToRead } from '../search/memory/read-vectors.ts'
import type { FoundNeighbours, PairsOptions } from './all-pairs.ts'
import { isTooLarge, type NeighbourLimits, tooLargeToCompare } from './limits.ts'
import type { NeighboursRequest } from './schemas.ts'
import { NeighboursProgress, type Step } from './steps.ts'

/** A stored embedding, without its text_id, which the thread does not need. */
interface RowToCompare {
  /** In the form that `receivedVector` reads. */
  readonly vector: string
  /**
   * Rows of equal values are not neighbours of each other; null for a missing value, undefined
   * without such a rule.
   */
  readonly value: string | null | undefined
}

/** In this order: the options, the rows, the row to start with, and then requests for results. */
export type ComparisonRequest =
  | { readonly options: PairsOptions }
  | { readonly rows: readonly RowToCompare[] }
  | { readonly startAt: number }
  | { readonly maxRows: number }

export type ComparisonReply = FoundNeighbours | undefined

export type ComparisonThread = WorkerThread<ComparisonRequest, ComparisonReply>

/**
 * Rows per reply of the thread. This limits what is computed ahead, and how long a reply takes to
 * write.
 */
const maxRows = 128

/**
 * Reads all vectors, then compares each with each. Uploads and deletions while they are read may or
 * may not count; the answer is about what was read.
 * @throws 409 if the project was emptied or deleted meanwhile, 422 if there are too many
 */
export async function* exactNeighbours(
  db: Db,
  thread: ComparisonThread,
  wanted: VectorsToRead,
  request: NeighboursRequest,
  limits: NeighbourLimits,
): AsyncGenerator<Step> {
  const { dimensions } = wanted
  const { k, threshold, after } = request
  const progress = new NeighboursProgress()
  const textIds: string[] = []
  await thread.ask({ options: { dimensions, k, threshold } })
  for await (const rows of readVectors(db, wanted)) {
    for (const { textId } of rows) textIds.push(textId)
    if (isTooLarge({ vectors: textIds.length, dimensions }, limits)) throw tooLargeToCompare(limits)
    await thread.ask({ rows: rows.map(({ vector, value }) => ({ vector, value })) })
    yield* progress.of(0, null)
  }
  await requireInUse(db, wanted)

  const startAt = after === undefined ? 0 : numberUpTo(textIds, after)
  const total = textIds.length - startAt
  await thread.ask({ startAt })
  for (let next = ahead(thread); ; ) {
    const found = await next
    if (found === undefined) break
    next = ahead(thread)
    yield namedBy(textIds, found)
    yield* progress.of(found.first + found.rows.length - startAt, total)
  }
  await requireInUse(db, wanted)
  yield { done: true, embeddings: total, mode: 'exact' }
}

/** Asks for one reply ahead of the reader, who may never read it. */
function ahead(thread: ComparisonThread): Promise<ComparisonReply> {
  const reply = thread.ask({ maxRows })
  reply.catch(() => {})
  return reply
}

/** A collection left by its project is being deleted: a part of it must not pass for the whole. */
async function requireInUse(db: Db, { collectionId }: VectorsToRead): Promise<void> {
  if (await isInUse(db, collectionId)) return
  throw conflict('The project was emptied or deleted while its neighbours were computed; try again')
}

/** How many of the text_ids, which are ordered by their bytes, are at or before `textId`. */
function numberUpTo(textIds: readonly string[], textId: string): number {
  const bytes = Buffer.from(textId)
  const first = textIds.findIndex((other) => Buffer.compare(Buffer.from(other), bytes) > 0)
  return first === -1 ? textIds.length : first
}

const namedBy = (textIds: readonly string[], { first, rows }: FoundNeighbours) =>
  rows.map(({ neighbours, similarities }, row) => ({
    id: textIds[first + row] ?? '',
    neighbours: Array.from(neighbours, (other, place) => ({
      id: textIds[other] ?? '',
      similarity: similarities[place] ?? 0,
    })),
  }))
