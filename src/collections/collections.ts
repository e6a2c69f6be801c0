import { eq, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { collections } from '../db/schema.ts'

/** Uploads with shorter pauses between them are one burst. */
export const burstPauseSeconds = 15

/** An empty collection, for the project that the same transaction points to it. */
export async function createCollection(db: Db): Promise<number> {
  const [created] = await db
    .insert(collections)
    .values({})
    .returning({ collectionId: collections.collectionId })
  if (created === undefined) throw new Error('the database created no collection')
  return created.collectionId
}

/**
 * The last statement of a transaction that adds embeddings: others wait for its row until the end.
 * @returns the collection's revision when that is committed
 */
export async function countAdded(
  db: Db,
  collectionId: number,
  added: number,
  dimensions: number,
): Promise<number> {
  // Not now(): that is when the upload began, and it may have waited for others.
  const pause = sql`extract(epoch from clock_timestamp() - ${collections.addedAt})`
  const [counted] = await db
    .update(collections)
    .set({
      vectors: sql`${collections.vectors} + ${added}`,
      revision: sql`${collections.revision} + 1`,
      dimensions,
      addedAt: sql`clock_timestamp()`,
      longestPause: sql`case when ${pause} < ${burstPauseSeconds} then greatest(${collections.longestPause}, ${pause}) end`,
      // After the last vector of other dimensions was deleted: their index holds none of these.
      searchIndex: sql`case when ${collections.dimensions} = ${dimensions} then ${collections.searchIndex} end`,
    })
    .where(eq(collections.collectionId, collectionId))
    .returning({ revision: collections.revision })
  if (counted === undefined) throw new Error('the collection is gone')
  return counted.revision
}
