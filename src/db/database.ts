import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { TurnLoad } from '../turns.ts'

/** What queries are written against; a transaction's `db` is one too. */
export type Db = PgDatabase<PgQueryResultHKT, Record<string, never>>

export interface Transaction {
  readonly db: PgRemoteDatabase
  /** Runs `COPY … FROM STDIN (FORMAT binary)` into `target` (a table with its columns). */
  copyIn(target: string, rows: Uint8Array): Promise<void>
}

/** The one interface behind which PostgreSQL and the embedded engine differ. */
export interface Database {
  readonly engine: 'postgres' | 'embedded'
  /** Each query on its own, outside any transaction. Short statements only. */
  readonly db: Db
  /** As `db`, for statements that read the vectors of a project. */
  readonly search: Db
  /** As `db`, for builds of indexes; takes one statement after another, on one connection. */
  readonly maintenance: Db
  /** Commits when `work` resolves, rolls back when it throws. Retried when PostgreSQL asks for it. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** A transaction that moves many rows, such as an upload. */
  bulk<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** A transaction that takes as long as it takes: at the start, or instead of one. */
  unhurried<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** How busy each pool of connections is, by its name. */
  load(): Readonly<Record<string, TurnLoad>>
  close(): Promise<void>
}
