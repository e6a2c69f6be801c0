import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { collections } from '../db/schema.ts'
import { conflict } from '../errors.ts'
import { createCollection } from './collections.ts'

/*
 * A file is imported into a collection that no project points to, so that nobody sees embeddings before
 * all are there. Its revision is 0 until then, and `added_at` the time of the last batch. Of other
 * collections the first upload changes both at once.
 */

/** For so long after the last batch a collection that is being loaded is not taken for a dead one. */
const minutes = 15

/** Whether it is loaded at this moment, and nothing for the cleaner. */
export const isLoading = sql`(${collections.revision} = 0 and coalesce(${collections.addedAt}
  > clock_timestamp() - make_interval(mins => ${sql.raw(`${minutes}`)}), false))`

const loaded = (collectionId: number) =>
  and(eq(collections.collectionId, collectionId), eq(collections.revision, 0))

export const beginLoading = (db: Db): Promise<number> =>
  createCollection(db, sql`clock_timestamp()`)

/** The last statement of the transaction of a batch. @throws 409 when the cleaner has taken what was stored */
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

/** In the transaction that lets a project point to it. @throws 409 as above */
export async function endLoading(db: Db, collectionId: number): Promise<void> {
  if (!(await changeRevision(db, collectionId))) throw takenAway()
}

/** What was stored is for the cleaner from now on. Does nothing to a collection that is complete. */
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
