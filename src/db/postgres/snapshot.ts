import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { Limiter, type Requester } from '../../concurrency/limiter.ts'
import { unavailable } from '../../errors.ts'
import type { Db, Pool, Snapshot, TakeSnapshot } from '../database.ts'
import { embeddings } from '../schema.ts'
import { maxSnapshots, snapshotQueue } from '../snapshot-limits.ts'

/**
 * Snapshots are transactions that only read. They are taken on the pool for searches, whose plans depend
 * on no statistics; of its connections they leave three quarters to the searches.
 */
export function postgresSnapshots(
  pool: Pool,
  connections: number,
  currentRequester: () => Requester | undefined,
): TakeSnapshot {
  const maxConcurrent = Math.max(1, Math.min(maxSnapshots, Math.floor(connections / 4)))
  const limiter = new Limiter({ maxConcurrent, ...snapshotQueue })
  return (find, work) => {
    const requester = currentRequester()
    const whoWaits = () => limiter.whoWaitsFor(requester)
    let begun = false
    const read = () =>
      pool.transaction(async ({ db }) => {
        // The pool tries transactions again; what was read is on its way to a client already.
        if (begun) throw unavailable('The database broke off the reading of a snapshot; try again')
        await db.execute(sql`set transaction isolation level repeatable read, read only`)
        const found = await find(db)
        begun = true
        return work({ ...snapshotOf(db, found.collectionId), whoWaits }, found)
      })
    return limiter.run(read, requester)
  }
}

const snapshotOf = (db: Db, collectionId: number): Omit<Snapshot, 'whoWaits'> => ({
  db,
  embeddings: sql`${embeddings}`,
  bound: (after, rows) =>
    sql`(${db
      .select({ textId: embeddings.textId })
      .from(embeddings)
      .where(and(eq(embeddings.collectionId, collectionId), gt(embeddings.textId, after)))
      .orderBy(asc(embeddings.textId))
      .limit(1)
      .offset(rows - 1)})`,
})
