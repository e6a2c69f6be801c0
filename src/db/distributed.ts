import { type SQL, sql } from 'drizzle-orm'
import { evaluate } from './columns.ts'
import type { Db } from './database.ts'

/*
 * For embeddings on the workers of a Citus cluster, while everything else is with the coordinator:
 * see src/db/postgres/distribute.ts.
 */

/** A table known to Citus that nobody reads. Writing to it makes Citus commit in two phases. */
export const commitMarker = sql.raw('public.distributed_commits')

/** Whether the embeddings of this database are on workers. */
export const isDistributed = async (db: Db): Promise<boolean> =>
  (await evaluate(db, sql<boolean>`to_regclass('${commitMarker}') is not null`)) === true

/**
 * Waits until all changes that the collection has counted so far are visible. If embeddings are on
 * another server, they become visible a moment after they were counted; otherwise nobody holds this
 * lock.
 */
export async function allVisible(db: Db, collectionId: number): Promise<void> {
  const lock = commitLock(sql`${collectionId}::bigint`)
  await evaluate(db, sql`pg_advisory_xact_lock_shared(${lock})::text`)
}

/** The service's other advisory locks have the other remainders of 4 (src/db/row-locks.ts). */
export const commitLock = (collectionId: SQL) => sql`-(${collectionId} * 4)`
