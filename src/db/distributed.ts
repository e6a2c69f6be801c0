import { type SQL, sql } from 'drizzle-orm'
import { oneRow } from './columns.ts'
import type { Db } from './database.ts'

/*
 * For embeddings on the workers of a Citus cluster, while everything else is with the coordinator:
 * see src/db/postgres/distribute.ts.
 */

/** A table known to Citus that nobody reads. Writing to it makes Citus commit in two phases. */
export const commitMarker = sql.raw('public.distributed_commits')

/** Whether the embeddings of this database are on workers. */
export async function isDistributed(db: Db): Promise<boolean> {
  const [row] = await db
    .select({ found: sql<boolean>`to_regclass('${commitMarker}') is not null` })
    .from(oneRow)
  return row?.found === true
}

/**
 * Waits until all changes that the collection has counted so far are visible. If embeddings are on
 * another server, they become visible a moment after they were counted; otherwise nobody holds this
 * lock.
 */
export async function allVisible(db: Db, collectionId: number): Promise<void> {
  await db
    .select({
      lock: sql`pg_advisory_xact_lock_shared(${commitLock(sql`${collectionId}::bigint`)})::text`,
    })
    .from(oneRow)
}

/** The service's other advisory locks have the other remainders of 4 (src/db/row-locks.ts). */
export const commitLock = (collectionId: SQL) => sql`-(${collectionId} * 4)`
