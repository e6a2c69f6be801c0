import { eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { collections, projects } from '../db/schema.ts'
import { type CountedChange, countChange } from './changes.ts'

/** Uploads with shorter pauses between them are one burst. */
export const burstPauseSeconds = 15

/**
 * Creates an empty collection, for a project that the same transaction links to it, or for an
 * import.
 */
export async function createCollection(db: Db, addedAt?: SQL): Promise<number> {
  const [created] = await db
    .insert(collections)
    .values({ addedAt })
    .returning({ collectionId: collections.collectionId })
  if (created === undefined) throw new Error('the database created no collection')
  return created.collectionId
}

/** Whether a project still stores embeddings there: not after it was emptied or deleted. */
export const isInUse = async (db: Db, collectionId: number): Promise<boolean> =>
  (await db.$count(projects, eq(projects.collectionId, collectionId))) > 0

/** Finds which of the collections are still in use. */
export async function inUseOf(db: Db, collectionIds: readonly number[]): Promise<Set<number>> {
  const given = sql`select jsonb_array_elements(${JSON.stringify(collectionIds)}::jsonb)::bigint`
  const rows = await db
    .select({ collectionId: projects.collectionId })
    .from(projects)
    .where(sql`${projects.collectionId} in (${given})`)
  return new Set(rows.map(({ collectionId }) => collectionId))
}

/** The last statement of a transaction that adds embeddings; see `countChange`. */
export function countAdded(
  db: Db,
  collectionId: number,
  { added, replaced }: Readonly<Record<'added' | 'replaced', ReadonlySet<string>>>,
  dimensions: number,
): Promise<CountedChange> {
  // now() would be the time at which the upload began, and it may have waited for others since.
  const pause = sql`extract(epoch from clock_timestamp() - ${collections.addedAt})`
  const set = {
    dimensions,
    addedAt: sql`clock_timestamp()`,
    longestPause: sql`case when ${pause} < ${burstPauseSeconds} then greatest(${collections.longestPause}, ${pause}) end`,
    // The dimensions change after the last vector of others was deleted: their index has none of
    // these.
    searchIndex: sql`case when ${collections.dimensions} = ${dimensions} then ${collections.searchIndex} end`,
  }
  const textIds = [...added, ...replaced]
  return countChange(db, collectionId, textIds, { vectors: added.size, set })
}
