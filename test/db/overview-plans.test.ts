import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { largestProjects, largestUsers } from '../../src/service/overview/largest.ts'
import { scansOf } from '../support/database/scans.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const many = 20_000
const most = 100

let service: Awaited<ReturnType<typeof startOwnService>>

const execute = (text: string) => service.database.short.db.execute(sql.raw(text))

describe.skipIf(postgresOfRun() === undefined)('where there are many projects', () => {
  beforeAll(async () => {
    service = await startOwnService()
    for (const table of ['projects', 'collections', 'users']) {
      await execute(`alter table ${table} set (autovacuum_enabled = false)`)
    }
    await execute(
      `insert into users (user_handle, key_hash)
        select 'u' || i, 'hash-' || i from generate_series(2, 1001) i`,
    )
    await execute(`insert into collections (vectors, dimensions)
      select i, 3 from generate_series(1, ${many}) i`)
    await execute(`insert into projects (owner_id, project_handle, collection_id)
      select 2 + i % 1000, 'p' || i, i from generate_series(1, ${many}) i`)
  })
  afterAll(() => service.close())

  it.each([
    'as it was',
    'analyzed',
  ])('the largest are found by their size, in a database %s', async (state) => {
    if (state === 'analyzed') await execute('analyze')
    const { short } = service.database
    const scans = await scansOf(short, service.database, (database) =>
      largestProjects(database.short.db, most).then(
        () => undefined,
        () => undefined,
      ),
    )
    expect(new Set(scans.map(({ table }) => table))).toEqual(
      new Set(['collections', 'projects', 'users']),
    )
    for (const { table, index, rows } of scans) {
      expect([table, index]).not.toEqual([table, undefined])
      expect([table, rows <= 2 * most]).toEqual([table, true])
    }
    const found = await largestProjects(short.db, most)
    expect(found).toHaveLength(most)
    expect(found[0]).toMatchObject({ project_handle: `p${many}`, embedding_count: many })
  })

  it('users are added up without a look at an embedding', async () => {
    const { short } = service.database
    const scans = await scansOf(short, service.database, (database) =>
      largestUsers(database.short.db, most).then(
        () => undefined,
        () => undefined,
      ),
    )
    expect(new Set(scans.map(({ table }) => table))).toEqual(
      new Set(['collections', 'projects', 'users']),
    )
    for (const { table, rows } of scans) expect([table, rows <= many]).toEqual([table, true])
    expect(await largestUsers(short.db, most)).toHaveLength(most)
  })
})
