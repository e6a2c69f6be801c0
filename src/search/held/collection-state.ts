import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { historyOf } from '../../db/history.ts'
import { collections } from '../../db/schema.ts'

/** A collection, in the state found in the database. */
export interface CollectionState {
  readonly collectionId: number
  readonly dimensions: number
  readonly vectors: number
  /** Counts the changes of its embeddings. */
  readonly revision: number
  /** In another history, the same revision may stand for other embeddings. */
  readonly history: string
}

/** The collection as it is now; undefined if it is gone. */
export async function readState(
  db: Db,
  collectionId: number,
): Promise<CollectionState | undefined> {
  const [found] = await db
    .select({
      collectionId: collections.collectionId,
      dimensions: sql`coalesce(${collections.dimensions}, 0)`.mapWith(Number),
      vectors: collections.vectors,
      revision: collections.revision,
      history: historyOf(collections),
    })
    .from(collections)
    .where(eq(collections.collectionId, collectionId))
  return found
}
