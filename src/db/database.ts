import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'

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
  /** Each query on its own, outside any transaction. */
  readonly db: Db
  /** Commits when `work` resolves, rolls back when it throws. Retried when PostgreSQL asks for it. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}
