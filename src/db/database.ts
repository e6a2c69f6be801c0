import type { SQL } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { LimiterLoad, Requester, WhoWaits } from '../concurrency/limiter.ts'

/*
 * Two of Drizzle's stock parts do not work here. Its `vector()` demands dimensions, but one column
 * holds the vectors of every project (pgvector.ts). Its drivers for postgres.js and PGlite need the
 * client itself: a pool that refuses and cancels, and an engine in a worker thread, would have to
 * be disguised as one. The driver for postgres.js also prepares nothing without a name (260 instead
 * of 160 µs for a point read). The proxy driver only needs a function.
 */

/**
 * What queries are written against, also in a transaction. Drizzle's proxy driver declares
 * `transaction` too but cannot begin one; the pool does that. `prepare` builds the text of a query
 * once, and the name that it asks for stays in this process: both engines prepare every query with
 * parameters by its text, for each connection.
 */
export type Db = Omit<PgRemoteDatabase, 'transaction'>

export interface Transaction {
  readonly db: Db
  /** Runs `COPY … FROM STDIN (FORMAT binary)` into `target` (a table with its columns). */
  copyIn(target: string, rows: Uint8Array): Promise<void>
  /** Returns the output of `COPY (query) TO STDOUT (FORMAT binary)`. */
  copyOut(query: string): Promise<Uint8Array>
}

/** Connections for one kind of work, so that it never waits behind another kind. */
export interface Pool {
  /** Runs each query on its own, outside any transaction. */
  readonly db: Db
  /** Commits when `work` resolves, rolls back when it throws, retries if PostgreSQL asks to. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

export interface MaintenancePool extends Pool {
  /**
   * Runs all statements of `work` on one connection, outside any transaction. This is for things
   * that last as long as the connection, such as an advisory lock. Once the connection is lost,
   * every further statement fails.
   */
  session<T>(work: (db: Db) => Promise<T>): Promise<T>
}

/** A copy of the database's files. Whoever reads it must remove it. */
export interface FilesCopy {
  readonly folder: string
  remove(): Promise<void>
}

/**
 * The embeddings of one collection as they were at one moment. Statements of bounded size can read
 * them one after another while others go on writing.
 */
export interface Snapshot {
  /** For statements on `embeddings` below. It may show anything else as of a later moment. */
  readonly db: Db
  /** To select from: the table `embeddings` with its name, but only this collection's rows. */
  readonly embeddings: SQL
  /**
   * Divides the keys into ranges that are cheap to read. The expression is a text_id with at most
   * `rows` rows from `after` (excluded) up to it (included), or twice as many while others write.
   * It is null if fewer rows remain.
   */
  bound(after: string, rows: number): SQL<string | null>
  /** Says who waits for this snapshot's place. */
  whoWaits(): WhoWaits
}

/**
 * @param find finds what to take the snapshot of, and whatever else must be of the same moment,
 *   which is that of its first statement; throws if there is nothing to read
 * @param work is called once, and may take any time; the snapshot ends with it
 * @throws 503 if too many others are being read
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
   * Whether embeddings are on other servers than everything else. In that case the id of a
   * collection says which server has it, and a join with another table asks all servers.
   */
  readonly isDistributed: boolean
  /**
   * A number that changes when another server answers than before. A server that was promoted may
   * lack commits of the former one and give their revisions to others, so whatever is remembered by
   * revision must be forgotten.
   */
  history(): number
  /**
   * For reads of what is seldom written, such as permissions. The answer is that of this moment,
   * though it may be a remembered one if nothing can have been written since, or that of a statement
   * which others wait for too. They share the answer, so it must not be changed.
   */
  readonly remembering: <Values extends object, Answer>(
    read: Read<Values, Answer>,
  ) => Read<Values, Answer>
  /**
   * Statements that answer within about 100 ms, such as the one that begins every request by
   * finding its caller and target. These reads never wait for transactions that wait for locks.
   */
  readonly short: Pool
  /** Statements that read the vectors of a project. */
  readonly search: Pool
  /** Statements and transactions that move many rows, such as an upload. */
  readonly bulk: Pool
  /** Work of any duration: index builds, migrations, cleaning up. */
  readonly maintenance: MaintenancePool
  /** Reads all embeddings of a collection as of one moment, whatever is written meanwhile. */
  readonly snapshot: TakeSnapshot
  /**
   * Copies the database's files as they are at one moment; all statements wait meanwhile. Undefined
   * if this process does not hold the files.
   */
  readonly copyFiles: (() => Promise<FilesCopy>) | undefined
  /**
   * Runs `work`, and everything that it starts, for this requester: requesters take turns at
   * connections, and what nobody waits for any more is cancelled. Outside of it, statements are the
   * service's own.
   */
  onBehalfOf<T>(requester: Requester, work: () => T): T
  /** The requester of the work that is going on. */
  requester(): Requester | undefined
  /** How busy each pool of connections is, by its name. */
  load(): Readonly<Record<string, LimiterLoad>>
  close(): Promise<void>
}
