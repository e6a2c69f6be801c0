import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * Which history a row belongs to: the path of its table's file, which has the numbers of the
 * database and of the file. A restore changes one of them, whether it restores the database, the
 * table, or the rows of the table after TRUNCATE. It brings back old revisions, and later changes
 * are given the revisions of what was lost.
 */
export const historyOf = (table: PgTable): SQL<string> =>
  sql<string>`pg_relation_filepath(${table}.tableoid)`
