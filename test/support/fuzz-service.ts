import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { inject } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { Database } from '../../src/db/database.ts'
import { openEmbedded } from '../../src/db/embedded/engine.ts'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { prepareDatabase } from '../../src/db/prepare.ts'
import { createLog } from '../../src/log.ts'
import { checkEncryptionKey } from '../../src/secrets/key-check.ts'
import { createSealer } from '../../src/secrets/sealing.ts'
import { adminKey, indexLimits, maxBodyBytes } from './app.ts'
import { unique } from './factories.ts'

export const encryptionKey = 'the-encryption-key-of-the-fuzzed-service'

/** An app on a database that nobody else writes to, so that every change has a known cause. */
export async function startFuzzService() {
  const { database, drop } = await ownDatabase()
  const sealer = createSealer(encryptionKey)
  await prepareDatabase(database, (tx) => checkEncryptionKey(tx, sealer))
  const log = { ...createLog(false), info: () => {}, warn: () => {} }
  const service = createApp({ database, sealer, adminKey, maxBodyBytes, indexLimits, log })
  const close = async () => {
    await database.close()
    await drop()
  }
  return { ...service, database, close }
}

async function ownDatabase(): Promise<{ database: Database; drop: () => Promise<void> }> {
  if (inject('engine') === 'embedded') {
    return { database: await openEmbedded(undefined), drop: async () => {} }
  }
  const url = new URL(inject('databaseUrl'))
  const name = unique('fuzz')
  const server = postgres(url.href, { max: 1, onnotice: () => {} })
  await server.unsafe(`create database "${name}"`)
  const database = await openPostgres({
    host: url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: name,
  })
  const drop = async () => {
    await server.unsafe(`drop database "${name}" with (force)`)
    await server.end()
  }
  return { database, drop }
}

export type SavedTables = Awaited<ReturnType<typeof saveTables>>

/** Keeps a copy of all rows, to tell whether anything has changed and to undo it. */
export async function saveTables({ db }: Database) {
  const run = (text: string) => db.execute(sql.raw(text))
  const one = sql`(select 1) as one`
  const found = await db
    .select({ name: sql<string>`quote_ident(tablename)` })
    .from(sql`pg_tables`)
    .where(sql`schemaname = 'public'`)
    .orderBy(sql`tablename`)
  const tables = found.map(({ name }) => name)
  await run('create schema saved')
  for (const table of tables) await run(`create table saved.${table} as table public.${table}`)

  const digests = tables.map(
    (table) =>
      `(select count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) from public.${table} t)`,
  )
  await run(`create function saved.digest() returns text language plpgsql as
    $$ begin return concat_ws(' ', ${digests.join()}); end $$`)

  const differing = (table: string, from: string, other: string) =>
    `from ${from}.${table} t where t::text not in (select t::text from ${other}.${table} t)`
  const undo = [
    ...tables.map((table) => `delete ${differing(table, 'public', 'saved')}`),
    ...tables.map(
      (table) =>
        `insert into public.${table} overriding system value select t.* ${differing(table, 'saved', 'public')}`,
    ),
  ]
  // As a replica, on which foreign keys neither object nor cascade.
  await run(`create function saved.restore() returns void language plpgsql as $$ begin
    perform set_config('session_replication_role', 'replica', true);
    ${undo.join(';\n')}; end $$`)

  return {
    tables,
    async digest(): Promise<string> {
      const [row] = await db.select({ digest: sql<string>`saved.digest()` }).from(one)
      return row?.digest ?? ''
    },
    async restore(): Promise<void> {
      await db.select({ done: sql`saved.restore()` }).from(one)
    },
  }
}
