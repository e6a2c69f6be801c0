import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * Which history a row belongs to: the file that its table is in, by the numbers of the database and of the file. A
 * restore makes either anew, be it of the database, of the table, or into the table after TRUNCATE. It brings back
 * old revisions, and what is written afterwards is given the revisions of what was lost.
 */
export const historyOf = (table: PgTable): SQL<string> =>
  sql<string>`pg_relation_filepath(${table}.tableoid)`
