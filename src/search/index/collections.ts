import { and, desc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { collections, projects } from '../../db/schema.ts'
import type { CollectionIndexState } from './plan.ts'
import type { IndexLimits, SearchIndex } from './policy.ts'

/**
 * The projects' collections that may need a step: those given, those whose searches use an index,
 * and the largest above the budget. Other collections are not read, however many there are.
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

/** Lets searches of a collection use its index of this kind, or none. */
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

/** Keeps searches from using this index. Another index that serves them stays in use. */
export async function stopServingBy(
  db: Db,
  { collectionId, kind }: Pick<SearchIndex, 'collectionId' | 'kind'>,
): Promise<void> {
  await db
    .update(collections)
    .set({ searchIndex: null })
    .where(and(eq(collections.collectionId, collectionId), eq(collections.searchIndex, kind)))
}

/**
 * Stores the number of vectors for a later comparison, in the database so that every server sees
 * it.
 */
export async function measure(db: Db, collectionId: number): Promise<void> {
  await db
    .update(collections)
    .set({ measuredVectors: collections.vectors, measuredAt: sql`clock_timestamp()` })
    .where(eq(collections.collectionId, collectionId))
}
