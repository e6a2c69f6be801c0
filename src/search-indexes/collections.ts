import { and, desc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { collections, projects } from '../db/schema.ts'
import type { CollectionIndexState } from './plan.ts'
import type { IndexLimits, SearchIndex } from './policy.ts'

/**
 * The projects' collections that an index is about: those given, those that searches use one of, and the
 * largest above the budget. Of no others, however many there are.
 */
export async function readCollections(
  db: Db,
  indexed: readonly number[],
  { exactBudget, maxIndexes, settleSeconds }: IndexLimits,
): Promise<CollectionIndexState[]> {
  const ofProject = eq(projects.collectionId, collections.collectionId)
  const largest = db
    .select({ collectionId: collections.collectionId })
    .from(collections)
    .innerJoin(projects, ofProject)
    .where(gt(collections.components, Math.min(exactBudget, Number.MAX_SAFE_INTEGER)))
    .orderBy(desc(collections.components))
    .limit(maxIndexes)
  const serving = db
    .select({ collectionId: collections.collectionId })
    .from(collections)
    .where(isNotNull(collections.searchIndex))
  const given = sql`select jsonb_array_elements(${JSON.stringify(indexed)}::jsonb)::bigint`
  return db
    .select({
      collectionId: collections.collectionId,
      vectors: collections.vectors,
      dimensions: sql`coalesce(${collections.dimensions}, 0)`.mapWith(Number),
      serving: collections.searchIndex,
      measuredVectors: collections.measuredVectors,
      sinceAdded: sql<
        number | null
      >`extract(epoch from clock_timestamp() - ${collections.addedAt})::float8`,
      longestPause: collections.longestPause,
      isDue: sql<boolean>`coalesce(
        ${collections.measuredAt} <= clock_timestamp() - make_interval(secs => ${settleSeconds}), true)`,
    })
    .from(collections)
    .innerJoin(projects, ofProject)
    .where(sql`${collections.collectionId} in (${given} union (${largest}) union (${serving}))`)
    .orderBy(collections.collectionId)
}

/** Lets searches of a collection use its index, or none. */
export async function serveBy(
  db: Db,
  collectionId: number,
  searchIndex: SearchIndex['kind'] | null,
): Promise<void> {
  await db
    .update(collections)
    .set({ searchIndex })
    .where(eq(collections.collectionId, collectionId))
}

/** Lets no search use this index any more; they go on with another one that serves. */
export async function stopServingBy(
  db: Db,
  { collectionId, kind }: Pick<SearchIndex, 'collectionId' | 'kind'>,
): Promise<void> {
  await db
    .update(collections)
    .set({ searchIndex: null })
    .where(and(eq(collections.collectionId, collectionId), eq(collections.searchIndex, kind)))
}

/** Keeps the number of vectors, to be compared with a later one: in the database, for every server. */
export async function measure(db: Db, collectionId: number): Promise<void> {
  await db
    .update(collections)
    .set({ measuredVectors: collections.vectors, measuredAt: sql`clock_timestamp()` })
    .where(eq(collections.collectionId, collectionId))
}
