import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { Limiter, type Requester } from '../../concurrency/limiter.ts'
import { unavailable } from '../../errors.ts'
import type { Db, Pool, Snapshot, TakeSnapshot } from '../database.ts'
import { allVisible } from '../distributed.ts'
import { collections, embeddings } from '../schema.ts'
import { maxSnapshots, snapshotQueue } from '../snapshot-limits.ts'

interface SnapshotsOf {
  readonly pool: Pool
  readonly connections: number
  readonly currentRequester: () => Requester | undefined
  readonly onBehalfOf: <T>(requester: Requester | undefined, work: () => T) => T
  /** See `Database.isDistributed`. */
  readonly distributed: boolean
}

/**
 * Snapshots are transactions that only read. They use the search pool, whose plans depend on no
 * statistics, and leave three quarters of its connections to searches.
 */
export function postgresSnapshots({
  pool,
  connections,
  currentRequester,
  onBehalfOf,
  distributed,
}: SnapshotsOf): TakeSnapshot {
  const maxConcurrent = Math.max(1, Math.min(maxSnapshots, Math.floor(connections / 4)))
  const limiter = new Limiter({ maxConcurrent, ...snapshotQueue })
  return (find, work) => {
    const requester = currentRequester()
    const whoWaits = () => limiter.whoWaitsFor(requester)
    let begun = false
    const take = () =>
      pool.transaction(async ({ db }) => {
        // The pool retries transactions, but what was read is already on its way to a client.
        if (begun) throw unavailable('The database broke off the reading of a snapshot; try again')
        await db.execute(ofOneMoment)
        const found = await find(db)
        // For no requester: its connection for the snapshot would keep it from the last free one.
        const isFit = () => isOneMoment(db, pool.db, found.collectionId)
        if (distributed && !(await onBehalfOf(undefined, isFit))) {
          throw Object.assign(new Error('changed at that very moment'), { code: again })
        }
        begun = true
        return work({ ...snapshotOf(db, found.collectionId), whoWaits }, found)
      })
    return limiter.run(() => onBehalfOf(requester && asStream(requester), take), requester)
  }
}

/**
 * A name of its own: the connection of a stream does not count towards what its requester may search at
 * the same time, nor towards what other streams may have. The limiter of streams bounds them.
 */
const asStream = (requester: Requester): Requester => ({
  name: `${requester.name} (stream)`,
  get signal() {
    return requester.signal
  },
})

const ofOneMoment = sql`set transaction isolation level repeatable read, read only`

const revisionOf = async (db: Db, collectionId: number) => {
  const [found] = await db
    .select({ revision: collections.revision })
    .from(collections)
    .where(eq(collections.collectionId, collectionId))
  return found?.revision
}

/** SQLSTATE of a serialization failure. */
const again = '40001'

/**
 * If embeddings are on another server, their moment begins with the first statement there.
 * @param db the handle of the transaction
 * @param others for statements that see what is committed by then
 * @returns whether the collection was the same at both moments
 */
async function isOneMoment(db: Db, others: Db, collectionId: number): Promise<boolean> {
  const before = await revisionOf(db, collectionId)
  await allVisible(others, collectionId)
  const inCollection = eq(embeddings.collectionId, collectionId)
  await db.select({ one: sql`1` }).from(embeddings).where(inCollection).limit(1)
  return (await revisionOf(others, collectionId)) === before
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
