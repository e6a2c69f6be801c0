import type { SQL } from 'drizzle-orm'
import type { WhoWaits } from '../concurrency/limiter.ts'
import type { Db } from './database.ts'

/**
 * The embeddings of one collection as they were at one moment, for reading them in statements of bounded
 * size one after another, while others go on writing.
 */
export interface Snapshot {
  /** For statements on `embeddings` below; of anything else it may show a later moment. */
  readonly db: Db
  /** To select from; it has the columns of the table `embeddings` and its name, and rows of this collection. */
  readonly embeddings: SQL
  /**
   * Divides the keys into ranges that are cheap to read: an expression for a text_id with at most `rows` rows
   * from `after` (excluded) up to it (included), or twice as many while others write; null when there are
   * fewer up to the end.
   */
  bound(after: string, rows: number): SQL<string | null>
  /** Who waits for the place of this one. */
  whoWaits(): WhoWaits
}

/** What a snapshot is to be of, found at its very moment, with whatever else is to be of that moment. */
export interface Found {
  readonly collectionId: number
}

/**
 * @param find throws when there is nothing to read; the snapshot is of the moment of its first statement
 * @param work is done once, for as long as it takes; the snapshot ends with it
 * @throws 503 when too many others are being read
 */
export type TakeSnapshot = <What extends Found, T>(
  find: (db: Db) => Promise<What>,
  work: (snapshot: Snapshot, what: What) => Promise<T>,
) => Promise<T>

/** Each holds a connection or a trigger, and old rows, for as long as its client reads. */
export const maxSnapshots = 2
export const snapshotQueue = { queueTimeoutMs: 10_000, maxQueue: 100 }
