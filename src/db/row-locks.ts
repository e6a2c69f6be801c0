import { type Column, type SQL, sql } from 'drizzle-orm'
import type { Db } from './database.ts'

/*
 * PostgreSQL grants a shared lock of a row ahead of those who wait to change it, so that
 * overlapping sharers keep them waiting forever. Advisory locks are granted in the order of their
 * requests. So whoever locks a row that many share takes its advisory lock first, shared or
 * exclusive.
 *
 * All locks are taken in one order: users, projects, instances, embeddings, collections; ascending
 * ids.
 */

type Lockable = 'user' | 'project' | 'instance'
type Mode = 'shared' | 'exclusive'

/** Keys are negative, so that they differ from the service's other advisory locks. */
const keyOffsets: Record<Lockable, number> = { user: 1, project: 2, instance: 3 }
const functions: Record<Mode, SQL> = {
  shared: sql.raw('pg_advisory_xact_lock_shared'),
  exclusive: sql.raw('pg_advisory_xact_lock'),
}

const advisoryLock = (mode: Mode, table: Lockable, id: Column | SQL) =>
  sql`${functions[mode]}(-(${id} * 4 + ${sql.raw(`${keyOffsets[table]}`)}))`

/**
 * The advisory lock of a row, until the transaction ends. It must be joined (`on true`) to a
 * statement that selects for share or update: rows are locked after the join.
 */
const joinedLock = (mode: Mode, table: Lockable, id: Column) =>
  sql`lateral (select ${advisoryLock(mode, table, id)} as locked) as row_lock`

export const sharedLock = (table: Lockable, id: Column) => joinedLock('shared', table, id)
export const exclusiveLock = (table: Lockable, id: Column) => joinedLock('exclusive', table, id)

type Rows = readonly (readonly [table: Lockable, id: number])[]

async function lockRows(db: Db, mode: Mode, rows: Rows): Promise<void> {
  const locks = rows.map(([table, id]) => advisoryLock(mode, table, sql`${id}::bigint`))
  if (locks.length > 0) await db.execute(sql`select ${sql.join(locks, sql`, `)}`)
}

/** Takes the advisory locks of rows whose ids are known, until the transaction ends. */
export const lockShared = (db: Db, ...rows: Rows) => lockRows(db, 'shared', rows)
/** Like `lockShared`, for transactions that will change the rows. */
export const lockExclusive = (db: Db, ...rows: Rows) => lockRows(db, 'exclusive', rows)
