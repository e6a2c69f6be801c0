import type { SQL } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { LimiterLoad, Requester, WhoWaits } from '../concurrency/limiter.ts'

/*
 * Two of Drizzle's stock parts do not serve here. Its `vector()` demands dimensions, and one column holds
 * those of every project (pgvector.ts). Its drivers for postgres.js and PGlite want the client itself: a pool
 * that refuses and cancels, and an engine in a worker thread, would have to be disguised as one, and the
 * driver for postgres.js prepares nothing without a name (260 instead of 160 µs for a point read).
 * The proxy driver wants a function.
 */

/**
 * What queries are written against; a transaction's `db` is one too. Drizzle's proxy driver declares
 * `transaction` as well, but cannot begin one: that is the pool's to do. `prepare` builds the text of a
 * query once, and the name that it asks for stays in this process: PostgreSQL is sent every query with
 * parameters as a prepared statement of the connection, and the embedded engine parses each anew.
 */
export type Db = Omit<PgRemoteDatabase, 'transaction'>

export interface Transaction {
  readonly db: Db
  /** Runs `COPY … FROM STDIN (FORMAT binary)` into `target` (a table with its columns). */
  copyIn(target: string, rows: Uint8Array): Promise<void>
  /** What `COPY (query) TO STDOUT (FORMAT binary)` answers. */
  copyOut(query: string): Promise<Uint8Array>
}

/** Connections for one kind of work, so that it never waits behind another kind. */
export interface Pool {
  /** Each query on its own, outside any transaction. */
  readonly db: Db
  /**
   * Reads that `start` begins on `db` before it returns (by `execute`: what is only built begins when it is
   * waited for) may go to the database in one write. They are done
   * in this order, each with a result of its own, which does not wait for those behind it.
   */
  together<T>(start: () => T): T
  /** Commits when `work` resolves, rolls back when it throws. Retried when PostgreSQL asks for it. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

export interface MaintenancePool extends Pool {
  /**
   * One connection for all statements of `work`, outside any transaction: for what lasts as long as
   * the connection does, such as an advisory lock. Once it is lost, every further statement fails.
   */
  session<T>(work: (db: Db) => Promise<T>): Promise<T>
}

/** A copy of the database's files, for whoever reads them to remove. */
export interface FilesCopy {
  readonly folder: string
  remove(): Promise<void>
}

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

/**
 * @param find finds what the snapshot is to be of, at its very moment, with whatever else is to be of that
 *   moment; throws when there is nothing to read; the snapshot is of the moment of its first statement
 * @param work is done once, for as long as it takes; the snapshot ends with it
 * @throws 503 when too many others are being read
 */
export type TakeSnapshot = <What extends { readonly collectionId: number }, T>(
  find: (db: Db) => Promise<What>,
  work: (snapshot: Snapshot, what: What) => Promise<T>,
) => Promise<T>

export type Read<Values extends object, Answer> = (values: Values) => Promise<Answer>

/** The one interface behind which PostgreSQL and the embedded engine differ. */
export interface Database {
  readonly engine: 'postgres' | 'embedded'
  /**
   * Whether embeddings are on other servers than all else: the one that has a collection is found by its id, and
   * what joins it with something else asks all of them.
   */
  readonly isDistributed: boolean
  /**
   * Another number where another server answers than before: one that was promoted may lack commits of the former,
   * and give their revisions to others. What is remembered by revision is to be forgotten.
   */
  history(): number
  /**
   * For reads of what is seldom written, such as who may what: an answer is the one of this moment, though
   * it may be remembered where nothing can have been written since. Others have it too: it is not to be changed.
   */
  readonly remembering: <Values extends object, Answer>(
    read: Read<Values, Answer>,
  ) => Read<Values, Answer>
  /**
   * Statements that answer within some 100 ms, among them what every request begins with: finding out
   * who asks, for what. These reads never wait for transactions that wait for locks.
   */
  readonly short: Pool
  /** Statements that read the vectors of a project. */
  readonly search: Pool
  /** Statements and transactions that move many rows, such as an upload. */
  readonly bulk: Pool
  /** What takes as long as it takes: builds of indexes, migrations, cleaning up. */
  readonly maintenance: MaintenancePool
  /** Reads all embeddings of a collection as they are at one moment, whatever is written meanwhile. */
  readonly snapshot: TakeSnapshot
  /**
   * Copies the database's files as they are at one moment, for which all statements wait; undefined
   * where the files are not in this process's hands.
   */
  readonly copyFiles: (() => Promise<FilesCopy>) | undefined
  /**
   * Does `work` and all that it starts for this requester: tenants take turns at connections, and what
   * nobody waits for any more is cancelled. Outside of it statements are the service's own.
   */
  onBehalfOf<T>(requester: Requester, work: () => T): T
  /** Of the work that is going on. */
  requester(): Requester | undefined
  /** How busy each pool of connections is, by its name. */
  load(): Readonly<Record<string, LimiterLoad>>
  close(): Promise<void>
}
