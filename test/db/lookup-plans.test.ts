import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccess } from '../../src/access/access.ts'
import type { Database } from '../../src/db/database.ts'
import { createEmbeddings } from '../../src/embeddings/embeddings.ts'
import { MetadataSchemes } from '../../src/metadata-schemes/metadata-schemes.ts'
import { hashKey } from '../../src/secrets/keys.ts'
import { adminKey } from '../support/app.ts'
import { type Scan, scansOf } from '../support/database/plans.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { isOnCitus, postgresOfRun } from '../support/servers/postgres-place.ts'

const many = 5_000

let service: Awaited<ReturnType<typeof startOwnService>>

const execute = (text: string) => service.database.short.db.execute(sql.raw(text))

type Kind = 'namespace' | 'project' | 'instance'

const lookUp = (database: Database, kind: Kind, caller: string) =>
  createAccess(database, hashKey(adminKey))[kind](hashKey(caller === 'admin' ? adminKey : caller), {
    owner: 'large',
    handle: 'missing',
  })

const rowsOf = (scans: readonly Scan[]) => scans.reduce((sum, { rows }) => sum + rows, 0)

describe.skipIf(postgresOfRun() === undefined)('where an owner has many things', () => {
  beforeAll(async () => {
    service = await startOwnService()
    // Their ids are 2, 3 and 4, and those of the others follow.
    for (const user of ['large', 'member', 'stranger']) {
      await execute(
        `insert into users (user_handle, key_hash) values ('${user}', '${hashKey(user)}')`,
      )
    }
    await execute(
      `insert into users (user_handle) select 'u' || i from generate_series(1, ${many}) i`,
    )
    await execute(`insert into collections select from generate_series(1, ${2 * many})`)
    // Most users have few, which is what the statistics tell.
    await execute(`insert into projects (owner_id, project_handle, collection_id)
      select case when i <= ${many} then 2 else 4 + i - ${many} end, 'p' || i, i
      from generate_series(1, ${2 * many}) i`)
    await execute(`insert into instances (owner_id, instance_handle, endpoint, api_standard, model, dimensions)
      select owner_id, project_handle, 'https://a.example', 'provider-a', 'm', 3
      from projects order by project_id`)
    for (const table of ['project_shares', 'instance_shares']) {
      await execute(
        `insert into ${table} values (1, 3, 'reader'), (${many + 7}, 2, 'reader'), (${many + 8}, 4, 'reader')`,
      )
      await execute(
        `insert into ${table} select ${many} + i, 4 + i % ${many} + 1, 'reader' from generate_series(1, ${many}) i`,
      )
    }
    // Named keys of the first three, and of all others.
    await execute(`insert into user_keys (user_id, key_handle, key_hash, access, is_limited) values
      (2, 'k', '${hashKey('large-key')}', 'write', false),
      (3, 'k', '${hashKey('member-key')}', 'write', true),
      (3, 'other', '${hashKey('member-other-key')}', 'read', true)`)
    await execute(`insert into user_keys (user_id, key_handle, key_hash, access, is_limited)
      select 4 + i, 'k', 'hash-' || i, 'read', true from generate_series(1, ${many}) i`)
    await execute(`insert into key_projects values (2, 1), (3, 2)`)
    await execute(`insert into key_projects select 3 + i, i from generate_series(1, ${many}) i`)
    await execute('analyze')
  })
  afterAll(() => service.close())

  it.each([
    ['namespace', 'large', ['owner']],
    ['namespace', 'admin', ['admin']],
    ['namespace', 'member', ['namespaceMember']],
    ['namespace', 'stranger', []],
    ['project', 'large', ['owner']],
    ['project', 'admin', ['admin']],
    ['project', 'member', ['namespaceMember']],
    ['project', 'stranger', []],
    ['namespace', 'large-key', ['owner']],
    ['namespace', 'member-key', ['namespaceMember']],
    ['namespace', 'member-other-key', []],
    ['project', 'large-key', ['owner']],
    ['project', 'member-key', []],
    ['instance', 'large-key', ['owner']],
    ['instance', 'large', ['owner']],
    ['instance', 'member', ['namespaceMember']],
    ['instance', 'stranger', []],
  ] as const)(
    'what is asked for (%s, by the %s) is found without reading all that the owner has',
    async (kind, caller, relations) => {
      const found = await lookUp(service.database, kind, caller)
      expect([...found.relations]).toEqual(relations)
      const scans = await scansOf(service.database.short, service.database, (database) =>
        // Of columns with one name the watched database answers one: it may not find the caller.
        lookUp(database, kind, caller).catch(() => undefined),
      )
      expect(scans).not.toEqual([])
      // Each statement was planned twice.
      expect(rowsOf(scans) / 2).toBeLessThan(15)
    },
  )

  // Citus gives the plan of a worker as text inside of its own.
  it.skipIf(isOnCitus())('an embedding is found without reading others', async () => {
    await execute(`insert into embeddings (collection_id, vector_dim, text_id, vector)
      select ${many}, 1, 't' || i, '[1]' from generate_series(1, 1000) i`)
    const target = { owner: 'large', handle: `p${many}` }
    const access = createAccess(service.database, hashKey(adminKey))
    const { thing } = await access.project(hashKey(adminKey), target)
    if (thing === undefined) throw new Error('the project is not there')
    const scans = await scansOf(service.database.short, service.database, async (database) => {
      const { searchIndexes, vectorCache } = service
      const schemes = new MetadataSchemes()
      const { get } = createEmbeddings(database, vectorCache, schemes, searchIndexes, () => {})
      expect(JSON.parse((await get(thing, ['t7'])).text)).toMatchObject({ text_id: 't7' })
    })
    expect(scans).not.toEqual([])
    expect(rowsOf(scans) / 2).toBeLessThan(5)
  })
})
