import { type SQL, sql } from 'drizzle-orm'
import { bigint, customType, timestamp } from 'drizzle-orm/pg-core'
import type { Db } from './database.ts'

/** One row, for expressions that need no table, or as the start of left joins. */
export const oneRow = sql`(select 1) as one`

/** The value of an expression that needs no table. */
export async function evaluate<T>(db: Db, value: SQL<T>): Promise<T | undefined> {
  const [row] = await db.select({ value }).from(oneRow)
  return row?.value
}

/** Text compared and ordered by its bytes, whatever the database's locale. */
export const byteOrderedText = customType<{ data: string }>({
  dataType: () => 'text COLLATE "C"',
})

/** Written and read as base64, which both engines pass as text. */
export const bytes = customType<{ data: string }>({ dataType: () => 'bytea' })

export const id = (name: string) => bigint(name, { mode: 'number' })
export const generatedId = (name: string) => id(name).primaryKey().generatedAlwaysAsIdentity()
export const creationTime = () =>
  timestamp('created_at', { withTimezone: true }).notNull().defaultNow()
