import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminKey } from '../support/app.ts'
import { createClient } from '../support/client.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const users = 5_000

let service: Awaited<ReturnType<typeof startOwnService>>

const execute = (text: string) => service.database.short.db.execute(sql.raw(text))

/** Rows that scans of whole tables have met so far. */
async function scanned(table: string) {
  // By the connections that were used last, which have not told it yet.
  const flush = sql`select pg_stat_force_next_flush()`
  const { short, maintenance } = service.database
  const used = [...Array.from({ length: 4 }, () => short.db), maintenance.db]
  await Promise.all(used.map((db) => db.execute(flush)))
  const [found] = await service.database.short.db
    .select({ rows: sql`seq_tup_read`.mapWith(Number) })
    .from(sql`pg_stat_user_tables where relname = ${table}`)
  return found?.rows
}

describe.skipIf(postgresOfRun() === undefined)('where tables were analyzed', () => {
  beforeAll(async () => {
    service = await startOwnService()
    await execute('delete from definitions')
    await execute(
      `insert into users (user_handle) select 'u' || i from generate_series(2, ${users}) i`,
    )
    await execute(`insert into instances (instance_handle, owner_id, endpoint, api_standard, model, dimensions)
      select 'm' || (4 - j), i, 'https://a.example', 'provider-a', 'm', 3
      from generate_series(2, ${users}) i, generate_series(1, 3) j`)
    await execute('insert into collections select from generate_series(1, 15000)')
    await execute(`insert into projects (owner_id, project_handle, collection_id)
      select 2 + i % ${users - 1}, 'p' || i, i from generate_series(1, 15000) i`)
    await execute(
      `insert into instance_shares select i, 2 + i / 3, 'reader' from generate_series(1, 14000, 3) i`,
    )
    await execute(`insert into project_shares select i, 2 + (i + 6) % ${users - 1}, 'editor'
      from generate_series(1, 15000, 5) i`)
    await execute('alter table embeddings set (autovacuum_enabled = false)')
    await execute(`insert into embeddings (collection_id, vector_dim, text_id, vector)
      select 2 + i % 3, 64, 't' || i, array_fill(i, array[64])::vector
      from generate_series(1, 30000) as i`)
    await execute('update collections set vectors = 10000 where collection_id between 2 and 4')
    await execute('analyze')
  })
  afterAll(() => service.close())

  it.each([
    ['instances', 'llm-services/u9', ['u23/m3', 'u9/m1', 'u9/m2', 'u9/m3']],
    ['projects', 'projects/u9', ['u9/p10005', 'u9/p5006', 'u9/p7']],
    ['projects', 'projects/u9?include_shared=true', ['u3/p1', 'u9/p10005', 'u9/p5006', 'u9/p7']],
  ])('the %s of /v1/%s are found by indexes', async (table, path, names) => {
    const before = await scanned(table)
    const { body } = await createClient(service)('GET', `/v1/${path}`, { key: adminKey })
    const shown = body[table].map(
      ({ owner, instance_handle, project_handle }: Record<string, string>) =>
        `${owner}/${instance_handle ?? project_handle}`,
    )
    expect(shown).toEqual(names)
    expect(await scanned(table)).toBe(before)
  })

  it('a page far down of a large project reads no rows of others', async () => {
    const before = await scanned('embeddings')
    const path = '/v1/embeddings/u4/p2?offset=9000'
    const { body } = await createClient(service)('GET', path, { key: adminKey })
    expect(body.embeddings).toHaveLength(10)
    expect(await scanned('embeddings')).toBe(before)
  })

  it('cleaning up reads no rows of other projects, whatever share of all a collection has', async () => {
    await execute('delete from projects where collection_id = 3')
    const before = await scanned('embeddings')
    await service.cleaner.clean()
    expect(await scanned('embeddings')).toBe(before)
    const { db } = service.database.short
    expect(await db.$count(sql`embeddings where collection_id = 3`)).toBe(0)
    expect(await db.$count(sql`collections where collection_id = 3`)).toBe(0)
  })
})
