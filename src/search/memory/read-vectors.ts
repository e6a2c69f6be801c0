import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Change } from '../../collections/change-listener.ts'
import { changesAfter } from '../../collections/changes.ts'
import { groupsOf, inCollection, inRange, isAmong, lastTextId } from '../../collections/keys.ts'
import type { Db } from '../../db/database.ts'
import { allVisible } from '../../db/distributed.ts'
import { sentVector } from '../../db/pgvector.ts'
import { embeddings } from '../../db/schema.ts'
import { filterCondition, metadataAt } from '../../filters/condition.ts'
import type { Filter } from '../../filters/filter.ts'
import { receivedVector } from '../../vectors/encoding.ts'
import type { CollectionState } from '../held/collection-state.ts'

/**
 * Components per group: 5.6 MB in base64, for which the embedded engine takes some 40 ms. Groups alternate there with
 * the pieces of searches, which take about as long: a quarter of it makes reading beside searches take twice as long.
 */
const groupComponents = 2 ** 20
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
  /** Equal for equal JSON values; null if there is none. It is read if it was asked for. */
  readonly value?: string | null
}

/**
 * The value as its type and a 64-bit hash, since it may be large. PostgreSQL gives equal values the
 * same hash (1 and 1.0, keys in any order), but also a scalar and the array of it alone. Two of a
 * million different values collide with a probability of 10⁻⁷.
 */
function valueAt(path: readonly string[]): SQL<string | null> {
  const value = metadataAt(path)
  return sql`jsonb_typeof(${value}) || jsonb_hash_extended(${value}, 0)`
}

const groupSize = ({ dimensions }: VectorsToRead) =>
  Math.max(1, Math.min(maxGroupRows, Math.floor(groupComponents / dimensions)))

/**
 * All vectors that an exact search would compare, with all changes counted by then, by text_id, in
 * groups of bounded size. Text_ids that come behind the last one meanwhile are left out: else an
 * upload in their order might never be caught up with.
 */
export async function* readVectors(db: Db, wanted: VectorsToRead): AsyncGenerator<StoredVector[]> {
  await allVisible(db, wanted.collectionId)
  const upTo = await lastTextId(db, wanted.collectionId)
  for (let after: string | undefined; ; ) {
    const rows = await readGroup(db, wanted, inRange(wanted.collectionId, { after, upTo }))
    yield rows
    if (rows.length < groupSize(wanted)) return
    after = rows.at(-1)?.textId
  }
}

/**
 * What others have changed after a revision, in its present state: nothing in it is older than the
 * revision of the change.
 * @returns undefined if the collection has to be read anew
 */
export async function missedChange(
  db: Db,
  { collectionId, dimensions }: CollectionState,
  after: number,
): Promise<Change | undefined> {
  const changes = await changesAfter(db, collectionId, after)
  if (changes === undefined) return undefined
  const { revision, textIds } = changes
  const wanted = { collectionId, dimensions }
  const added: { textId: string; vector: Float32Array }[] = []
  await allVisible(db, collectionId)
  for (const group of groupsOf(textIds, groupSize(wanted))) {
    for (const { textId, vector } of await readGroup(db, wanted, isAmong(group))) {
      added.push({ textId, vector: receivedVector(vector) })
    }
  }
  return { collectionId, after, revision, removed: textIds, added }
}

async function readGroup(
  db: Db,
  wanted: VectorsToRead,
  which: SQL | undefined,
): Promise<StoredVector[]> {
  const { collectionId, dimensions, filter, different } = wanted
  return db
    .select({
      textId: embeddings.textId,
      vector: sentVector(embeddings.vector),
      ...(different !== undefined && { value: valueAt(different) }),
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
    .limit(groupSize(wanted))
}
