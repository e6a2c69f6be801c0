import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { groupsOf, inCollection, isAmong } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { allVisible } from '../db/distributed.ts'
import { sentVector } from '../db/pgvector.ts'
import { embeddings } from '../db/schema.ts'
import { filterCondition, metadataAt } from '../filters/condition.ts'
import type { Filter } from '../filters/filter.ts'

/** Components in a group: 1.4 MB in base64, which the database gives out within some ten milliseconds. */
const groupComponents = 2 ** 18
const maxGroupRows = 2_000

export interface VectorsToRead {
  readonly collectionId: number
  readonly dimensions: number
  readonly filter?: Filter | undefined
  /** A metadata path of which the value is read as well. */
  readonly different?: readonly string[] | undefined
}

export interface StoredVector {
  readonly textId: string
  /** As `receivedVector` takes it. */
  readonly vector: string
  /** Equal for equal JSON values; null where there is none; undefined when it was not asked for. */
  readonly value: string | null | undefined
}

/**
 * By a hash of 64 bits, which PostgreSQL has for what it takes to be equal (1 and 1.0, keys in any order):
 * a value may be large, and two different ones of a million have the same with a probability of 10⁻⁷.
 */
const valueAt = (path: readonly string[]): SQL<string | null> =>
  sql`jsonb_hash_extended(${metadataAt(path)}, 0)::text`

const groupSize = ({ dimensions }: VectorsToRead) =>
  Math.max(1, Math.min(maxGroupRows, Math.floor(groupComponents / dimensions)))

/** All that an exact search would compare, with all changes that have been counted by then, in the order of their keys, in groups that are bounded in size. */
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

/** Those of these text_ids that are there, in the same groups. */
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
