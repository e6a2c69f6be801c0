import { randomInt } from 'node:crypto'
import { is, isNotNull, sql } from 'drizzle-orm'
import { getTableConfig, type PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { StartupError } from '../errors.ts'
import { pgClass } from './catalog.ts'
import { evaluate } from './columns.ts'
import type { Database, Db, Transaction } from './database.ts'
import * as keySchema from './key-schema.ts'
import * as mapSchema from './map-schema.ts'
import { plansByKey } from './plans-by-key.ts'
import * as schema from './schema.ts'
import { collections, databaseFacts, embeddings, projects, users } from './schema.ts'
import * as usageSchema from './usage-schema.ts'

/** The tables about one database alone: the proof of its key, and what has migrated it. */
export const unmovedTables: readonly PgTable[] = [databaseFacts]

const declared: unknown[] = [schema, keySchema, mapSchema, usageSchema].flatMap(Object.values)

/** All other tables, each after those that its foreign keys name. */
export const movedTables: readonly PgTable[] = inOrder(
  declared.filter((each) => is(each, PgTable)).filter((table) => !unmovedTables.includes(table)),
)

function inOrder(tables: readonly PgTable[]): PgTable[] {
  const ordered = new Set<PgTable>()
  const add = (table: PgTable): void => {
    for (const { reference } of getTableConfig(table).foreignKeys) add(reference().foreignTable)
    ordered.add(table)
  }
  tables.forEach(add)
  return [...ordered]
}

const quoted = ({ name }: PgColumn) => `"${name}"`
const listOf = (columns: readonly PgColumn[]) => columns.map(quoted).join(', ')

/** A row's size without reading values stored apart. Compressed JSON is several times smaller. */
function bytesOf(column: PgColumn): string {
  const type = column.getSQLType()
  const size = /^(text|bytea)/.test(type) ? 'octet_length' : 'pg_column_size'
  return `coalesce(${size}(${quoted(column)}), 0)${type === 'jsonb' ? ' * 8' : ''}`
}

/** The parts of statements about a table. */
function partsOf(table: PgTable) {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const stored = columns.filter(({ generated }) => generated === undefined)
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  return {
    name: `"${name}"`,
    columns: listOf(stored),
    key: listOf(key),
    keyText: key.map((column) => `quote_literal(${quoted(column)})`).join(` || ', ' || `),
    bytes: stored.map(bytesOf).join(' + '),
    /** The sequences that give it ids. */
    sequences: columns
      .filter(({ generatedIdentity }) => generatedIdentity !== undefined)
      .map((column) => sql`pg_get_serial_sequence(${name}, ${column.name})::regclass`),
  }
}

/** How much is copied at once: a row at least, and few enough rows to read them twice quickly. */
const atOnce = { bytes: 8 * 2 ** 20, rows: 5_000 }

/** Whether a row is as the migrations left it, and nobody has changed it since. */
const isSeeded = sql`xmin::text in (select xmin::text from drizzle.__drizzle_migrations)`

/** @throws StartupError if anything is stored that is not from the migrations */
export async function refuseFilled(db: Db): Promise<void> {
  for (const table of movedTables) {
    const { name } = partsOf(table)
    const isThere = sql`${pgClass.oid} = to_regclass(${`public.${name}`})`
    if ((await db.$count(pgClass, isThere)) === 0) continue
    const rows = await db.$count(table, sql`not ${isSeeded}`)
    // If everything was restored in one transaction, all rows look as if they were the migrations'.
    if (rows === 0 && (table !== users || (await db.$count(users)) === 1)) continue
    throw new StartupError(
      `the database is not empty: its table ${name} has rows; name a new database, or a new folder`,
    )
  }
}

/** Whether both are one database, whatever its names: a lock of the one is seen in the other. */
export async function isSame(one: Database, other: Database): Promise<boolean> {
  if (one.engine === 'embedded' || other.engine === 'embedded') return false
  const key = randomInt(2 ** 47)
  return one.maintenance.transaction(async ({ db }) => {
    await db.execute(sql`select pg_advisory_xact_lock(${key}::bigint)`)
    const isFree = sql<boolean>`pg_try_advisory_xact_lock(${key}::bigint)`
    return (await evaluate(other.short.db, isFree)) !== true
  })
}

const settledAtOnce = 256 * 2 ** 20

/** Writes a checkpoint on the embedded engine, whose log would otherwise keep growing. */
export async function settle(engine: Database['engine'], { db }: { readonly db: Db }) {
  if (engine === 'embedded') await db.execute(sql`checkpoint`)
}

export type Moved = Awaited<ReturnType<typeof moveRows>>

/**
 * Copies all rows into an empty database, within the two transactions. Nobody writes to either
 * meanwhile.
 * @param show is called with the number of embeddings that have been copied
 * @returns how many of each there are after the move
 * @throws StartupError if the target is not empty
 */
export async function moveRows(
  from: Transaction,
  into: Transaction,
  engine: Database['engine'],
  show: (done: number, total: number) => void,
) {
  await beforeMove(from.db, 'share')
  await beforeMove(into.db, 'access exclusive')
  await refuseFilled(into.db)
  await into.db.execute(sql.raw(`truncate ${names}`))
  const total = await from.db.$count(embeddings)
  show(0, total)
  const counts = new Map<PgTable, number>()
  let unsettled = 0
  for (const table of movedTables) {
    const rows = await moveTable(table, from, into, async (done, bytes) => {
      if (table === embeddings) show(done, total)
      unsettled += bytes
      if (unsettled < settledAtOnce) return
      unsettled = 0
      await settle(engine, into)
    })
    counts.set(table, rows)
  }
  // Search indexes are not copied but built anew.
  await into.db
    .update(collections)
    .set({ searchIndex: null })
    .where(isNotNull(collections.searchIndex))
  const count = (table: PgTable) => counts.get(table) ?? 0
  // `_system` does not count.
  return {
    users: count(users) - 1,
    projects: count(projects),
    embeddings: count(embeddings),
  }
}

const names = movedTables.map((table) => partsOf(table).name).join(', ')

async function beforeMove(db: Db, lock: string): Promise<void> {
  // Each transaction waits for the other.
  await db.execute(sql`set local idle_in_transaction_session_timeout = 0`)
  // Statistics must not keep tables from being read by key.
  for (const [name, value] of Object.entries(plansByKey)) {
    await db.execute(sql.raw(`set local ${name} = ${value}`))
  }
  await db.execute(sql.raw(`lock table ${names} in ${lock} mode`))
}

/**
 * @param moved is called with the number of rows so far, and the bytes since the last call
 * @returns how many rows it has
 */
async function moveTable(
  table: PgTable,
  from: Transaction,
  into: Transaction,
  moved: (rows: number, bytes: number) => Promise<void>,
): Promise<number> {
  const { name, columns, key, sequences } = partsOf(table)
  let rows = 0
  for (let after: string | undefined; ; ) {
    const piece = await nextPiece(from.db, table, after)
    if (piece === undefined) break
    const where = `${behind(key, after)} and (${key}) <= (${piece.last})`
    const bytes = await from.copyOut(
      `select ${columns} from ${name} where ${where} order by ${key}`,
    )
    await into.copyIn(`${name} (${columns})`, bytes)
    after = piece.last
    rows += piece.rows
    await moved(rows, bytes.length)
  }
  const stored = await into.db.$count(table)
  // The embedded engine has been seen to report success for statements that stored nothing.
  if (stored !== rows) throw new Error(`${name} has ${stored} of ${rows} rows`)
  for (const sequence of sequences) {
    const given = sql<string | null>`pg_sequence_last_value(${sequence})::text`
    const last = (await evaluate(from.db, given)) ?? null
    await into.db.execute(sql`select setval(${sequence}, ${last ?? '1'}::bigint, ${last !== null})`)
  }
  return rows
}

const behind = (key: string, after = '') => (after === '' ? 'true' : `(${key}) > (${after})`)

/**
 * Finds the next rows in the order of their keys, as many as are copied at once.
 * @param after the key before them, as SQL
 * @returns their last key, as SQL, and their number; undefined if there are none
 */
async function nextPiece(db: Db, table: PgTable, after: string | undefined) {
  const { name, key, keyText, bytes } = partsOf(table)
  const rows = `select ${key}, ${bytes} as bytes from ${name}
    where ${behind(key, after)} order by ${key} limit ${atOnce.rows}`
  const sized = `select ${keyText} as last, row_number() over in_order as place,
    sum(bytes) over in_order - bytes as before from (${rows}) as wanted window in_order as (order by ${key})`
  const [piece] = await db
    .select({ last: sql<string>`last`, rows: sql`place`.mapWith(Number) })
    .from(sql.raw(`(${sized}) as sized`))
    .where(sql`before < ${atOnce.bytes}`)
    .orderBy(sql`place desc`)
    .limit(1)
  return piece
}
