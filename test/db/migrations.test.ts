import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { oneRow } from '../../src/db/columns.ts'
import type { Database } from '../../src/db/database.ts'
import { prepareDatabase } from '../../src/db/prepare.ts'
import { cacheLimits, indexLimits } from '../support/app.ts'
import { structured } from '../support/data/indexed.ts'
import { embedding } from '../support/factories.ts'
import { ownDatabase } from '../support/servers/own-database.ts'
import { askerOf } from '../support/servers/own-projects.ts'
import { startBeside } from '../support/servers/own-service.ts'
import { hasSearchIndexes, postgresOfRun } from '../support/servers/postgres-place.ts'
import { waitUntil } from '../support/wait.ts'

const migrationsFolder = new URL('../../drizzle', import.meta.url).pathname
const documents = structured(480, 240)
const [first = { text_id: '', vector: [] }] = documents

/** Brings an empty database to the schema before collections. */
async function migrateToProjects(database: Database): Promise<void> {
  const run = (text: string) => database.short.db.execute(sql.raw(text))
  await run('create schema drizzle')
  await run(`create table drizzle.__drizzle_migrations
    (id serial primary key, hash text not null, created_at bigint)`)
  const old = readMigrationFiles({ migrationsFolder }).slice(0, 2)
  for (const { sql: statements, hash, folderMillis } of old) {
    for (const statement of statements) await run(statement)
    await run(`insert into drizzle.__drizzle_migrations (hash, created_at)
      values ('${hash}', ${folderMillis})`)
  }
}

async function prepare(database: Database): Promise<void> {
  await prepareDatabase(database, async () => {})
}

/** While an upload to project 3 and a new project, both of a server of the version before, are not committed yet. */
async function prepareBesideUpload(database: Database): Promise<void> {
  const migration = await database.bulk.transaction(async ({ db }) => {
    await db.execute(sql.raw('select 1 from projects where project_id = 3 for share'))
    await db.execute(
      sql.raw(`insert into embeddings (project_id, vector_dim, text_id, vector)
        values (3, 3, 'late', '[1,1,2]')`),
    )
    await db.execute(
      sql.raw(`insert into projects (owner_id, project_handle, instance_id)
        select owner_id, 'late', instance_id from projects where project_id = 3`),
    )
    const preparing = prepare(database)
    preparing.catch(() => {})
    await waitUntil(() => isHeldUp(database))
    return { preparing }
  })
  await migration.preparing
}

async function isHeldUp({ short }: Database): Promise<boolean> {
  const waiting = sql`pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and not granted`
  return (await short.db.$count(waiting)) > 0
}

/** Projects 1 (indexed), 2 (empty), 3 (two vectors) and 5 of user ann; 4 is gone. */
async function fill(database: Database): Promise<void> {
  const run = (text: string) => database.short.db.execute(sql.raw(text))
  await run(`insert into users (user_handle) values ('ann')`)
  await run(`insert into instances (instance_handle, owner_id, endpoint, api_standard, model, dimensions)
    select given.model, user_id, 'https://a.example', 'provider-a', 'm', dim
    from users, (values ('wide', 240), ('model', 3)) as given (model, dim) where user_handle = 'ann'`)
  await run(`insert into projects (owner_id, project_handle, instance_id)
    select u.user_id, 'p' || n, i.instance_id from generate_series(1, 5) n, users u, instances i
    where user_handle = 'ann' and instance_handle = case n when 1 then 'wide' else 'model' end order by n`)
  await run('delete from projects where project_id = 4')
  const rows = documents.map(
    ({ text_id, vector }) => `(1, 240, '${text_id}', '${JSON.stringify(vector)}')`,
  )
  const target = 'embeddings (project_id, vector_dim, text_id, vector)'
  await run(`insert into ${target} values ${rows.join()}`)
  await run(`insert into ${target} values (3, 3, 'a', '[1,2,3]'), (3, 3, 'b', '[3,2,1]'),
    (5, 3, 'c', '[1,1,1]')`)
  await run(`create index embeddings_hnsw_1_halfvec_240 on embeddings
    using hnsw ((l2_normalize(vector)::halfvec(240)) halfvec_ip_ops) where project_id = 1 and vector_dim = 240`)
}

/** @param migrate brings it to this version */
async function migratedService(migrate = prepare) {
  const { database, drop } = await ownDatabase()
  onTestFinished(async () => {
    await database.close()
    await drop()
  })
  await migrateToProjects(database)
  await fill(database)
  await migrate(database)
  // The index is what was there before, and not vectors in memory.
  const settings = { indexLimits, cacheLimits: { ...cacheLimits, maxBytes: 0 } }
  const service = startBeside({ database }, settings)
  return { database, service, asAdmin: askerOf(service) }
}

describe('a database from before collections', () => {
  it('keeps its embeddings and its counts, and builds its index anew', async () => {
    const { database, service, asAdmin } = await migratedService()
    const totals = ['p1', 'p2', 'p3', 'p5'].map(
      async (handle) => (await asAdmin('GET', `/v1/embeddings/ann/${handle}`)).body.total_count,
    )
    expect(await Promise.all(totals)).toEqual([480, 0, 2, 1])
    const path = `/v1/similars/ann/p1/${encodeURIComponent(first.text_id)}?threshold=0`
    const found = await asAdmin('GET', path)
    expect(found.status).toBe(200)
    const [old] = await database.short.db
      .select({ name: sql`to_regclass('embeddings_hnsw_1_halfvec_240')::text` })
      .from(oneRow)
    expect(old?.name).toBeNull()
    // The embedded engine has no indexes in service, and measures none.
    if (hasSearchIndexes()) {
      // The first look only notes the size, to tell whether the project still grows.
      await service.searchIndexes.reconcile()
      await service.searchIndexes.reconcile()
      expect((await asAdmin('GET', path)).headers.get('x-search-mode')).toBe('approximate')
      expect((await asAdmin('GET', '/v1/admin/sanity-check')).body.status).toBe('PASSED')
    }
    const report = (await asAdmin('GET', '/v1/admin/sanity-check')).body
    expect(report).toMatchObject({ checked: { projects: 4, embeddings: 483 } })

    const fields = { instance_owner: 'ann', instance_handle: 'model' }
    expect((await asAdmin('PUT', '/v1/projects/ann/new', fields)).status).toBe(201)
    for (const handle of ['p3', 'new']) {
      const body = { embeddings: [embedding('new', [1, 2, 3])] }
      expect((await asAdmin('POST', `/v1/embeddings/ann/${handle}`, body)).status).toBe(201)
    }
    expect((await asAdmin('DELETE', '/v1/embeddings/ann/p3')).body.deleted_count).toBe(3)
    expect((await asAdmin('DELETE', '/v1/projects/ann/p1')).status).toBe(200)
    await service.searchIndexes.reconcile()
    await service.cleaner.clean()
    const later = (await asAdmin('GET', '/v1/admin/sanity-check')).body
    expect(later).toMatchObject({ checked: { projects: 4, embeddings: 2 }, issues: [] })
  })
})

describe.skipIf(postgresOfRun() === undefined)('a migration beside an older server', () => {
  it('counts what that uploads and creates until the tables are locked', async () => {
    const { asAdmin } = await migratedService(prepareBesideUpload)
    const uploaded = await asAdmin('GET', '/v1/embeddings/ann/p3')
    expect(uploaded.body).toMatchObject({ total_count: 3, embeddings: { length: 3 } })
    expect((await asAdmin('GET', '/v1/embeddings/ann/late')).body.total_count).toBe(0)
    const report = (await asAdmin('GET', '/v1/admin/sanity-check')).body
    // The index of the older form is gone, and its successor not built yet.
    expect(report).toMatchObject({
      issues: [{ type: 'index-missing' }],
      checked: { projects: 5, embeddings: 484 },
    })
  })
})
