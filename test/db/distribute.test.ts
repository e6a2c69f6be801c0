import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { oneRow } from '../../src/db/columns.ts'
import { openEmbedded } from '../../src/db/embedded/open.ts'
import type { ConnectionOptions } from '../../src/db/postgres/connection-options.ts'
import { distribute, refuseUnfit } from '../../src/db/postgres/distribute.ts'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { prepareDatabase } from '../../src/db/prepare.ts'
import { buildIndex, listIndexes } from '../../src/search/index/catalog.ts'
import { unique } from '../support/factories.ts'
import { citusWorkers, createCitusDatabase } from '../support/servers/citus.ts'
import { isOnCitus, postgresOfRun } from '../support/servers/postgres-place.ts'
import { waitUntil } from '../support/wait.ts'

const shards = 3
const nothing = async () => {}

function coordinator(): ConnectionOptions {
  const place = postgresOfRun()
  if (place === undefined) throw new Error('only with Citus')
  return place
}

/** A database of each node, without tables, and a connection to the coordinator's. */
async function newDatabase() {
  const name = unique('fresh')
  const drop = await createCitusDatabase(coordinator(), name)
  const place = { ...coordinator(), database: name }
  const other = postgres({ ...place, max: 1, onnotice: () => {} })
  const database = await openPostgres(place)
  onTestFinished(async () => {
    await database.close()
    await other.end()
    await drop()
  })
  return { database, other, place }
}

/** Two collections with 500 embeddings each. */
const fill = (other: postgres.Sql) => other`
  with filled as (insert into collections (vectors, dimensions)
    select 500, 3 from generate_series(1, 2) returning collection_id)
  insert into embeddings (collection_id, vector_dim, text_id, vector)
  select collection_id, 3, 't' || i, '[1,2,3]' from filled, generate_series(1, 500) i`

const rowsOf = async (other: postgres.Sql) => {
  const [row] = await other`select count(*)::int as rows from embeddings`
  return row?.['rows']
}

describe.runIf(isOnCitus())('a database that is distributed', () => {
  it('keeps what it has, and leaves none of it with the coordinator', async () => {
    const { database, other } = await newDatabase()
    await prepareDatabase(database, nothing)
    await fill(other)
    await other`create index embeddings_hnsw_1_halfvec_l2_3 on embeddings (text_id)`
    await other`update collections set search_index = 'halfvec_l2'`
    expect(await distribute(database, shards)).toEqual({ shards, workers: 2 })
    expect(await rowsOf(other)).toBe(1_000)
    const [left] = await other`select pg_relation_size('embeddings')::int as bytes,
      to_regclass('embeddings_hnsw_1_halfvec_l2_3') is null as dropped,
      (select count(search_index)::int from collections) as serving`
    expect(left).toEqual({ bytes: 0, dropped: true, serving: 0 })
    const workers = await other`select result from run_command_on_workers('show enable_sort')`
    expect(workers.map(({ result }) => result)).toEqual(['off', 'off'])
  })

  it('is as it was where that is broken off, and is distributed by another attempt', async () => {
    const { database, other, place } = await newDatabase()
    await prepareDatabase(database, nothing)
    await fill(other)
    await other`create function broken_off() returns event_trigger language plpgsql as
      $$ begin raise exception 'broken off'; end $$`
    // After all rows are on the workers.
    await other`create event trigger broken_off on ddl_command_start when tag in ('CREATE TRIGGER')
      execute function broken_off()`
    await expect(distribute(database, shards)).rejects.toThrow()
    const [state] = await other`select (select count(*)::int from pg_dist_shard) as shards,
      to_regclass('distributed_commits') is null as undone`
    expect(state).toEqual({ shards: 0, undone: true })
    expect(await rowsOf(other)).toBe(1_000)
    await other`drop event trigger broken_off`
    const again = await openPostgres(place)
    onTestFinished(() => again.close())
    expect(await distribute(again, shards)).toEqual({ shards, workers: 2 })
    expect(await rowsOf(other)).toBe(1_000)
  })

  it('is not distributed beside a server that would not know, and later gets settings beside any', async () => {
    const { database, other, place } = await newDatabase()
    await prepareDatabase(database, nothing)
    const refused = /other servers are running on this database \(\d+ connections\)/
    const command = await openPostgres(place)
    onTestFinished(() => command.close())
    await expect(refuseUnfit(command)).rejects.toThrow(refused)
    await database.close()
    await refuseUnfit(command)
    expect(await distribute(command, shards)).toEqual({ shards, workers: 2 })
    const server = await openPostgres(place)
    onTestFinished(() => server.close())
    await prepareDatabase(server, nothing)
    await refuseUnfit(command)
    expect(await rowsOf(other)).toBe(0)
  })

  it('is waited for by a server that starts meanwhile, which is then to start again', async () => {
    const { database, other, place } = await newDatabase()
    await prepareDatabase(database, nothing)
    await other`create function wait() returns event_trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); end $$`
    await other`create event trigger wait on ddl_command_start when tag in ('CREATE TRIGGER')
      execute function wait()`
    await other`select pg_advisory_lock(1)`
    const moving = distribute(database, shards)
    await waitUntil(async () => {
      const [row] = await other`select exists (select from pg_locks
          where locktype = 'advisory' and not granted and database =
            (select oid from pg_database where datname = current_database())) as is_waiting`
      return row?.['is_waiting'] === true
    })
    const server = await openPostgres(place)
    onTestFinished(() => server.close())
    const started = expect(prepareDatabase(server, nothing)).rejects.toThrow(
      'embeddings were distributed during this start; start again',
    )
    await other`select pg_advisory_unlock(1)`
    await moving
    await started
  })

  it('has its search indexes on workers also where pgvector is in a schema of its own', async () => {
    const { database, other, place } = await newDatabase()
    await other`create schema elsewhere`
    await other`create extension vector schema elsewhere`
    await prepareDatabase(database, nothing)
    await other`set search_path = public, elsewhere`
    await fill(other)
    await distribute(database, shards)
    const form = { collectionId: 1, dimensions: 3, kind: 'halfvec_l2' } as const
    // A server that starts later, whose connections know the settings of the workers.
    const later = await openPostgres(place)
    const indexes = await later.maintenance.session(async (db) => {
      await buildIndex(db, form, 500, 'many')
      return listIndexes(db)
    })
    await later.close()
    expect(indexes).toEqual([{ ...form, state: 'valid' }])
  })

  it('is distributed by its owner, who need be no superuser', async () => {
    const user = unique('owner').replaceAll('-', '_')
    const onNodes = async (server: ConnectionOptions, ...statements: string[]) => {
      for (const port of [server.port, ...citusWorkers]) {
        const node = postgres({ ...server, port, max: 1, onnotice: () => {} })
        await node.unsafe('set citus.enable_ddl_propagation = off')
        for (const statement of statements) await node.unsafe(statement)
        await node.end()
      }
    }
    onTestFinished(() => onNodes(coordinator(), `drop role if exists ${user}`))
    const { other, place } = await newDatabase()
    await other`create extension vector`
    await onNodes(
      place,
      `create role ${user} login`,
      `alter database "${place.database}" owner to ${user}`,
    )
    const own = await openPostgres({ ...place, user })
    onTestFinished(() => own.close())
    await refuseUnfit(own)
    await prepareDatabase(own, nothing)
    await fill(other)
    expect(await distribute(own, shards)).toEqual({ shards, workers: 2 })
    expect(await rowsOf(other)).toBe(1_000)
  })

  it('is brought up to date by later migrations', async () => {
    const { database, other, place } = await newDatabase()
    const older = readMigrationFiles({ migrationsFolder: 'drizzle' }).slice(0, 7)
    await other`begin`
    for (const migration of older) {
      for (const statement of migration.sql) await other.unsafe(statement)
    }
    await other`commit`
    await other`create schema drizzle`
    await other`create table drizzle.__drizzle_migrations (id serial, hash text, created_at numeric)`
    const last = older.at(-1)
    await other`insert into drizzle.__drizzle_migrations (hash, created_at)
      values (${last?.hash ?? ''}, ${last?.folderMillis ?? 0})`
    await fill(other)
    await distribute(database, shards)
    const server = await openPostgres(place)
    onTestFinished(() => server.close())
    await prepareDatabase(server, nothing)
    const [found] = await server.short.db
      .select({ maps: sql<boolean>`to_regclass('public.maps') is not null` })
      .from(oneRow)
    expect(found?.maps).toBe(true)
    await other`alter table embeddings add column later integer`
    expect(await rowsOf(other)).toBe(1_000)
  })
})

describe('embeddings are not distributed', () => {
  it('on the embedded database', async () => {
    const database = await openEmbedded(undefined)
    onTestFinished(() => database.close())
    await expect(refuseUnfit(database)).rejects.toThrow(/embedded database cannot be distributed/)
  })

  it.runIf(isOnCitus())(
    'where there is no extension, no address, no worker, or the database is a worker',
    async () => {
      const { other, place } = await newDatabase()
      const refusal = async (where: ConnectionOptions) => {
        const database = await openPostgres(where)
        try {
          await refuseUnfit(database)
        } finally {
          await database.close()
        }
      }
      await expect(refusal({ ...place, port: citusWorkers[0] ?? 0 })).rejects.toThrow(/a worker/)
      for (const port of citusWorkers)
        await other`select citus_remove_node(${place.host}, ${port}::int)`
      await expect(refusal(place)).rejects.toThrow(/has no workers/)
      await other`select citus_remove_node(${place.host}, ${place.port}::int)`
      await expect(refusal(place)).rejects.toThrow(/its own address/)
      await other`drop extension citus`
      await expect(refusal(place)).rejects.toThrow(/no extension citus/)
    },
  )
})
