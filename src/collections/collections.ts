import { sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { collections } from '../db/schema.ts'
import { countChange } from './changes.ts'

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

/** The last statement of a transaction that adds embeddings; see `countChange`. */
export function countAdded(
  db: Db,
  collectionId: number,
  { added, replaced }: Readonly<Record<'added' | 'replaced', ReadonlySet<string>>>,
  dimensions: number,
): Promise<number> {
  // Not now(): that is when the upload began, and it may have waited for others.
  const pause = sql`extract(epoch from clock_timestamp() - ${collections.addedAt})`
  const set = {
    dimensions,
    addedAt: sql`clock_timestamp()`,
    longestPause: sql`case when ${pause} < ${burstPauseSeconds} then greatest(${collections.longestPause}, ${pause}) end`,
    // After the last vector of other dimensions was deleted: their index holds none of these.
    searchIndex: sql`case when ${collections.dimensions} = ${dimensions} then ${collections.searchIndex} end`,
  }
  const textIds = [...added, ...replaced]
  return countChange(db, collectionId, textIds, { vectors: added.size, set })
}
