import { type SQL, sql } from 'drizzle-orm'
import { oneRow } from './columns.ts'
import type { Db } from './database.ts'

/*
 * Where embeddings are on the workers of a Citus cluster, and all else is with the coordinator: see
 * src/db/postgres/distribute.ts.
 */

/** What Citus knows and nobody reads: that it is written to makes Citus commit in two phases. */
export const commitMarker = sql.raw('public.distributed_commits')

/** Whether the embeddings of this database are on workers. */
export async function isDistributed(db: Db): Promise<boolean> {
  const [row] = await db
    .select({ found: sql<boolean>`to_regclass('${commitMarker}') is not null` })
    .from(oneRow)
  return row?.found === true
}

/**
 * Of a change that was counted in its collection the embeddings are visible a moment later where they are on
 * another server. From here on they are, of all changes that were counted before. Elsewhere nobody holds this lock.
 */
export async function allVisible(db: Db, collectionId: number): Promise<void> {
  await db
    .select({
      lock: sql`pg_advisory_xact_lock_shared(${commitLock(sql`${collectionId}::bigint`)})::text`,
    })
    .from(oneRow)
}

/** None of the service's other advisory locks: src/db/row-locks.ts has the other remainders of 4. */
export const commitLock = (collectionId: SQL) => sql`-(${collectionId} * 4)`
