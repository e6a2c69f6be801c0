import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { groupsOf, inCollection, isAmong } from '../../collections/keys.ts'
import type { Db } from '../../db/database.ts'
import { allVisible } from '../../db/distributed.ts'
import { sentVector } from '../../db/pgvector.ts'
import { embeddings } from '../../db/schema.ts'
import { filterCondition, metadataAt } from '../../filters/condition.ts'
import type { Filter } from '../../filters/filter.ts'

/**
 * Components per group: 1.4 MB in base64, which the database delivers within some ten milliseconds.
 */
const groupComponents = 2 ** 18
const maxGroupRows = 2_000

export interface VectorsToRead {
  readonly collectionId: number
  readonly dimensions: number
  readonly filter?: Filter | undefined
  /** A metadata path whose value is read as well. */
  readonly different?: readonly string[] | undefined
}

export interface StoredVector {
  readonly textId: string
  /** In the form that `receivedVector` reads. */
  readonly vector: string
  /** Equal for equal JSON values; null if there is none, undefined if it was not asked for. */
  readonly value: string | null | undefined
}

/**
 * The value as a 64-bit hash, since it may be large. PostgreSQL gives equal values the same hash (1
 * and 1.0, keys in any order). Two of a million different values collide with a probability of
 * 10⁻⁷.
 */
const valueAt = (path: readonly string[]): SQL<string | null> =>
  sql`jsonb_hash_extended(${metadataAt(path)}, 0)::text`

const groupSize = ({ dimensions }: VectorsToRead) =>
  Math.max(1, Math.min(maxGroupRows, Math.floor(groupComponents / dimensions)))

/**
 * All vectors that an exact search would compare, with all changes counted by then, by text_id, in
 * groups of bounded size.
 */
export async function* readVectors(db: Db, wanted: VectorsToRead): AsyncGenerator<StoredVector[]> {
  await allVisible(db, wanted.collectionId)
  const limit = groupSize(wanted)
  for (let after: SQL | undefined; ; ) {
    const rows = await readGroup(db, wanted, after, limit)
    yield rows
    if (rows.length < limit) return
    after = gt(embeddings.textId, rows.at(-1)?.textId ?? '')
  }
}

/** The vectors of those text_ids that exist, in groups of the same size. */
export async function* readVectorsOf(
  db: Db,
  wanted: VectorsToRead,
  textIds: readonly string[],
): AsyncGenerator<StoredVector[]> {
  await allVisible(db, wanted.collectionId)
  const size = groupSize(wanted)
  for (const group of groupsOf(textIds, size)) {
    yield await readGroup(db, wanted, isAmong(group), size)
  }
}

async function readGroup(
  db: Db,
  { collectionId, dimensions, filter, different }: VectorsToRead,
  which: SQL | undefined,
  limit: number,
): Promise<StoredVector[]> {
  const rows = await db
    .select({
      textId: embeddings.textId,
      vector: sentVector(embeddings.vector),
      value: different === undefined ? sql<null>`null` : valueAt(different),
    })
    .from(embeddings)
    .where(
      and(
        inCollection(collectionId),
        eq(embeddings.vectorDim, dimensions),
        which,
        filter && filterCondition(filter),
      ),
    )
    .orderBy(asc(embeddings.textId))
    .limit(limit)
  return different === undefined ? rows.map((row) => ({ ...row, value: undefined })) : rows
}
