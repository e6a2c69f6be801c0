import { sql } from 'drizzle-orm'
import { customType } from 'drizzle-orm/pg-core'

/**
 * pgvector's `vector` without a fixed dimension: one table holds projects of every dimension.
 * (Drizzle's own `vector()` demands one.) Values are float32; pgvector prints the shortest decimal
 * that reads back to the same float32, which is also valid JSON.
 */
export const vector = customType<{ data: number[]; driverData: string }>({
  dataType: () => 'vector',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => JSON.parse(value),
})

/** One row, to select expressions from that need no table, or to hang left joins on. */
export const oneRow = sql`(select 1) as one`

/** Text compared and ordered by its bytes, whatever the database's locale. */
export const byteOrderedText = customType<{ data: string }>({
  dataType: () => 'text COLLATE "C"',
})
