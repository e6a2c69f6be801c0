import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { collections, projects } from '../db/schema.ts'
import { conflict } from '../errors.ts'
import { type CountedChange, countChange } from './changes.ts'

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

/** Its present revision; after its end one that no change has had. */
export async function revisionOf(db: Db, collectionId: number): Promise<number> {
  const [found] = await db
    .select({ revision: collections.revision })
    .from(collections)
    .where(eq(collections.collectionId, collectionId))
  return found?.revision ?? Number.MAX_SAFE_INTEGER
}

/** The last statement of a transaction that adds embeddings; see `countChange`. */
export function countAdded(
  db: Db,
  collectionId: number,
  { added, replaced }: Readonly<Record<'added' | 'replaced', ReadonlySet<string>>>,
  dimensions: number,
): Promise<CountedChange> {
  const set = {
    dimensions,
    // now() would be the time at which the upload began, and it may have waited for others since.
    addedAt: sql`clock_timestamp()`,
    // The dimensions change after the last vector of others was deleted: their index has none of
    // these.
    searchIndex: sql`case when ${collections.dimensions} = ${dimensions} then ${collections.searchIndex} end`,
  }
  const textIds = [...added, ...replaced]
  return countChange(db, collectionId, textIds, { vectors: added.size, set })
}

// A file is imported into a collection that no project uses yet, so that nobody sees embeddings
// before all of them are stored. Until then its revision is 0, and `added_at` is the time of the
// last batch. In other collections, the first upload changes both at once.

/** How long after its last batch a collection that is being loaded does not count as dead. */
const loadingMinutes = 15

/** Whether the collection is being loaded, so that the cleaner must not delete it. */
export const isLoading = sql`(${collections.revision} = 0 and coalesce(${collections.addedAt}
  > clock_timestamp() - make_interval(mins => ${sql.raw(`${loadingMinutes}`)}), false))`

const loaded = (collectionId: number) =>
  and(eq(collections.collectionId, collectionId), eq(collections.revision, 0))

export const beginLoading = (db: Db): Promise<number> =>
  createCollection(db, sql`clock_timestamp()`)

/**
 * The last statement of a batch's transaction.
 * @throws 409 if the cleaner has deleted what was stored
 */
export async function countLoaded(
  db: Db,
  collectionId: number,
  added: number,
  dimensions: number,
): Promise<void> {
  const counted = await db
    .update(collections)
    .set({
      vectors: sql`${collections.vectors} + ${added}`,
      dimensions,
      addedAt: sql`clock_timestamp()`,
    })
    .where(loaded(collectionId))
    .returning({ collectionId: collections.collectionId })
  if (counted.length === 0) throw takenAway()
}

/**
 * Belongs in the transaction that links a project to the collection.
 * @throws 409 if the cleaner has deleted what was stored
 */
export async function endLoading(db: Db, collectionId: number): Promise<void> {
  if (!(await changeRevision(db, collectionId))) throw takenAway()
}

/** Leaves what was stored to the cleaner. Does nothing to a complete collection. */
export async function giveUpLoading(db: Db, collectionId: number): Promise<void> {
  await changeRevision(db, collectionId)
}

async function changeRevision(db: Db, collectionId: number): Promise<boolean> {
  const changed = await db
    .update(collections)
    .set({ revision: 1 })
    .where(loaded(collectionId))
    .returning({ collectionId: collections.collectionId })
  return changed.length > 0
}

const takenAway = () =>
  conflict(`Nothing came of the file for ${loadingMinutes} minutes: it has to be imported anew`)
