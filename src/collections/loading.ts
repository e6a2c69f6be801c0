import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { collections } from '../db/schema.ts'
import { conflict } from '../errors.ts'
import { createCollection } from './collections.ts'

// A file is imported into a collection that no project uses yet, so that nobody sees embeddings
// before all of them are stored. Until then its revision is 0, and `added_at` is the time of the
// last batch. In other collections, the first upload changes both at once.

/** How long after its last batch a collection that is being loaded does not count as dead. */
const minutes = 15

/** Whether the collection is being loaded, so that the cleaner must not delete it. */
export const isLoading = sql`(${collections.revision} = 0 and coalesce(${collections.addedAt}
  > clock_timestamp() - make_interval(mins => ${sql.raw(`${minutes}`)}), false))`

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
  conflict(`Nothing came of the file for ${minutes} minutes: it has to be imported anew`)
