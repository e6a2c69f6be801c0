import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { createReadyCheck, prepareDatabase } from '../../src/db/prepare.ts'
import { users } from '../../src/db/schema.ts'
import { checkEncryptionKey } from '../../src/secrets/key-check.ts'
import { createSealer } from '../../src/secrets/sealing.ts'
import { encryptionKey } from '../support/app.ts'
import { unique } from '../support/factories.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const server = postgresOfRun()
const sealer = createSealer(encryptionKey)
const prepare = (database: Database, tableLocksMs = 30_000, startupLockMs = 60_000) =>
  prepareDatabase(database, (tx) => checkEncryptionKey(tx, sealer), { tableLocksMs, startupLockMs })

/** A new database, as its owner `user` would open it, and connections of others to it. */
async function newDatabase(user = server?.user) {
  if (server === undefined) throw new Error('only with PostgreSQL')
  const name = unique('start')
  const admin = postgres({ ...server, max: 1 })
  await admin.unsafe(`create database "${name}"`)
  const place = { ...server, database: name }
  const connect = (application_name: string) =>
    postgres({ ...place, max: 1, onnotice: () => {}, connection: { application_name } })
  const other = connect('somebody')
  const reader = connect('reader')
  const database = await openPostgres({ ...place, user: user ?? place.user })
  onTestFinished(async () => {
    await database.close()
    await other.end()
    await reader.end()
    await admin.unsafe(`drop database "${name}" with (force)`)
    await admin.end()
  })
  return { database, other, reader }
}

/** As the first version left it, with the migrations of all later ones to come. */
async function applyFirstMigration(other: postgres.Sql): Promise<void> {
  const [first] = readMigrationFiles({ migrationsFolder: 'drizzle' })
  for (const statement of first?.sql ?? []) await other.unsafe(statement)
  await other`create schema drizzle`
  await other`create table drizzle.__drizzle_migrations (id serial, hash text, created_at numeric)`
  await other`insert into drizzle.__drizzle_migrations (hash, created_at)
    values (${first?.hash ?? ''}, ${first?.folderMillis ?? 0})`
}

/** Begins a transaction of somebody else. @returns what ends it */
async function begin(other: postgres.Sql, statement: string): Promise<() => Promise<void>> {
  await other`begin`
  await other.unsafe(statement)
  return async () => {
    await other`rollback`
  }
}

/** What the next migration writes to cannot be written to meanwhile. */
const lockUsers = 'lock table users in share mode'

describe.skipIf(server === undefined)('a start', () => {
  it('waits for a table that a migration needs, in attempts that leave nothing', async () => {
    const { database, other } = await newDatabase()
    await applyFirstMigration(other)
    const end = await begin(other, lockUsers)
    const prepared = prepare(database)
    await sleep(4_000)
    await end()
    expect(await prepared).toBeUndefined()
    await createReadyCheck(database)()
  })

  it('is refused when it waits too long, and says who holds the table', async () => {
    const { database, other } = await newDatabase()
    await applyFirstMigration(other)
    const [session] = await other`select pg_backend_pid() as pid, current_user as name`
    const end = await begin(other, lockUsers)
    await expect(prepare(database, 0)).rejects.toThrow(
      `the database could not be brought up to date, since others hold locks on its tables: process ${session?.['pid']} of ${session?.['name']} (somebody); wait until that is done, or end it`,
    )
    await end()
    const [{ count } = { count: -1 }] = await other`select count(*)::integer from users`
    expect(count).toBe(0)
    await prepare(database)
  })

  it('begins again where it and a server that serves wait for each other', async () => {
    const { database, other } = await newDatabase()
    await prepare(database)
    // So PostgreSQL ends the start, never the server.
    await other`set deadlock_timeout = '10min'`
    let attempts = 0
    let ended = Promise.resolve()
    await prepareDatabase(database, async ({ db }) => {
      await ended
      attempts += 1
      await db.execute(sql`lock table users`)
      if (attempts > 5) return
      const end = await begin(other, 'lock table projects')
      ended = other`lock table users`.then(end)
      await db.execute(sql`lock table projects`)
    })
    expect(attempts).toBe(6)
  })

  it('takes its turn after another start, and is refused when that does not end', async () => {
    const { database, other, reader } = await newDatabase()
    await prepare(database)
    const endReading = await begin(reader, 'select from users')
    const [session] = await other`select pg_backend_pid() as pid, current_user as name`
    const end = await begin(other, 'select pg_advisory_xact_lock(7236451)')
    await expect(prepare(database, 1_000, 1_000)).rejects.toThrow(
      `the database has been prepared by another start for 1 s: process ${session?.['pid']} of ${session?.['name']} (somebody); wait`,
    )
    await endReading()
    const prepared = prepare(database)
    await sleep(500)
    await end()
    expect(await prepared).toBeUndefined()
  })

  it('with nothing to migrate only reads', async () => {
    const { database, other } = await newDatabase()
    await prepare(database)
    const tables = await other`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('public', 'drizzle')`
    const names = tables.map(({ name }) => name).join(', ')
    const end = await begin(other, `lock table ${names} in exclusive mode`)
    expect(await prepare(database, 0)).toBeUndefined()
    await end()
  })
})

describe.skipIf(server === undefined)('a start as a user who is no superuser', () => {
  async function newRole(): Promise<{ user: string; admin: postgres.Sql }> {
    const user = unique('role').replaceAll('-', '_')
    const admin = postgres({ ...server, max: 1, onnotice: () => {} })
    await admin.unsafe(`create role ${user} login password '${unique('password')}'`)
    onTestFinished(async () => {
      await admin.unsafe(`drop role ${user}`)
      await admin.end()
    })
    return { user, admin }
  }

  it('names the rights that are missing, and needs no others', async () => {
    const { user } = await newRole()
    const { database, other } = await newDatabase(user)
    await other`create extension vector`
    const [row] = await other`select quote_ident(current_database()) as name`
    const inDatabase = `GRANT CREATE ON DATABASE ${row?.['name']} TO ${user}`
    const inSchema = `GRANT USAGE, CREATE ON SCHEMA public TO ${user}`
    const refusal =
      /^the database could not be brought up to date: permission denied .*; SERVICE_DBUSER needs CREATE on the database SERVICE_DBNAME, USAGE and CREATE on its schema public/
    await expect(prepare(database)).rejects.toThrow(refusal)
    await other.unsafe(inDatabase)
    await expect(prepare(database)).rejects.toThrow(refusal)
    await other.unsafe(inSchema)
    expect(await prepare(database)).toBeUndefined()
    // It has migrated: from now on it may as well have no right to.
    await other.unsafe(`${inDatabase.replace('GRANT', 'REVOKE').replace(' TO ', ' FROM ')}`)
    await other.unsafe(`${inSchema.replace('GRANT USAGE,', 'REVOKE').replace(' TO ', ' FROM ')}`)
    expect(await prepare(database)).toBeUndefined()
  })

  it('uses the schema public, also with a schema of the same name and tables in that', async () => {
    const { user } = await newRole()
    const { database, other } = await newDatabase(user)
    await other.unsafe(`create schema authorization ${user}`)
    await other.unsafe(`grant create on schema public to ${user}`)
    await other`create extension vector`
    await other.unsafe(
      `do $$ begin execute format('grant create on database %I to ${user}', current_database()); end $$`,
    )
    expect(await prepare(database)).toBeUndefined()
    const rows = await other`select distinct schemaname from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') order by 1`
    expect(rows.map(({ schemaname }) => schemaname)).toEqual(['drizzle', 'public'])
    await createReadyCheck(database)()
    await other.unsafe(`create table ${user}.users (id integer)`)
    const [system] = await database.short.db.select({ handle: users.handle }).from(users)
    expect(system).toEqual({ handle: '_system' })
  })

  it('does not blame rights when tables of another program are in the way', async () => {
    const { database, other } = await newDatabase()
    await other`create table users (id integer)`
    await expect(prepare(database)).rejects.toThrow(
      'relation "users" already exists; SERVICE_DBNAME seems to be used by another program; give the service a database of its own',
    )
    const [found] = await database.short.db
      .select({ made: sql`to_regclass('public.projects')` })
      .from(sql`(select 1) as one`)
    expect(found?.made).toBeNull()
  })
})
