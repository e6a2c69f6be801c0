import { type Column, type SQL, sql } from 'drizzle-orm'
import type { Db } from './database.ts'

/*
 * PostgreSQL grants a shared lock of a row past those who wait to change it, so that sharers which overlap
 * keep them waiting for ever. Advisory locks are granted in the order in which they are asked for:
 * whoever locks a row that many share goes through its gate first, with others or alone.
 *
 * All locks are taken in one order: users, projects, instances, embeddings, collections; ascending ids.
 */

/** Negative keys, so that no gate is one of the service's other advisory locks. */
const places = { user: 1, project: 2, instance: 3 }
const functions = {
  shared: sql.raw('pg_advisory_xact_lock_shared'),
  alone: sql.raw('pg_advisory_xact_lock'),
}

type Guarded = keyof typeof places
type Manner = keyof typeof functions

const lock = (manner: Manner, what: Guarded, id: Column | SQL) =>
  sql`${functions[manner]}(-(${id} * 4 + ${sql.raw(`${places[what]}`)}))`

/**
 * Goes through the gate of a row until the transaction ends. To be joined (`on true`) to what a
 * statement selects for share or update: rows are locked after the join.
 */
export const gate = (manner: Manner, what: Guarded, id: Column) =>
  sql`lateral (select ${lock(manner, what, id)} as passed) as gate`

/** The same, where the ids are known. */
export async function enter(
  db: Db,
  manner: Manner,
  ...rows: readonly (readonly [what: Guarded, id: number])[]
): Promise<void> {
  const locks = rows.map(([what, id]) => lock(manner, what, sql`${id}::bigint`))
  if (locks.length > 0) await db.execute(sql`select ${sql.join(locks, sql`, `)}`)
}
