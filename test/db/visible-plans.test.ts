import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '../../src/access/caller.ts'
import { listReadable, type Visibility, visibilities } from '../../src/projects/list-readable.ts'
import { scansOf } from '../support/database/plans.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const many = 20_000

let service: Awaited<ReturnType<typeof startOwnService>>

const execute = (text: string) => service.database.short.db.execute(sql.raw(text))

// By the order in which they are inserted below; 1 is _system.
const large: Caller = { kind: 'user', userId: 2, handle: 'large', key: undefined }
const small: Caller = { kind: 'user', userId: 3, handle: 'small', key: undefined }
const key = { keyId: 1, handle: 'k', access: 'read', isLimited: true, expiresAt: null } as const
const limited: Caller = { ...large, key }
const callers = {
  large,
  small,
  limited,
  admin: { kind: 'admin' },
  nobody: { kind: 'anonymous' },
} as const

/** The small user's seven projects and the public ones of few others, before there are many. */
async function begin() {
  for (const table of ['projects', 'project_shares', 'collections', 'users', 'instances']) {
    await execute(`alter table ${table} set (autovacuum_enabled = false)`)
  }
  await execute(`insert into users (user_handle) values ('large'), ('small'), ('guest')`)
  await execute(`insert into collections select from generate_series(1, ${many})`)
  await addInstances(3)
  await addProjects(3, 1, 7)
}

/** Of the large user, every tenth public, and every fourth shared with each of two others. */
async function grow() {
  await execute(`insert into users (user_handle) select 'u' || i from generate_series(1, 3000) i`)
  await addInstances(2)
  await addProjects(2, 8, many)
  await addKeys()
  for (const user of [3, 4]) {
    await execute(
      `insert into project_shares select i, ${user}, 'reader' from generate_series(8, ${many}, 4) i`,
    )
  }
}

/** Each limited to a hundred projects, for all users that there are. */
async function addKeys() {
  await execute(`insert into user_keys (user_id, key_handle, key_hash, access, is_limited)
    select 1 + i, 'k', 'hash-' || i, 'read', true from generate_series(1, 200) i`)
  await execute(`insert into key_projects
    select k, 8 + k + 50 * i from generate_series(1, 200) k, generate_series(1, 100) i`)
}

const addInstances = (owner: number) =>
  execute(`insert into instances (owner_id, instance_handle, endpoint, api_standard, model, dimensions)
    select ${owner}, 'm' || i, 'https://a.example', 'provider-a', 'm', 3 from generate_series(1, 2000) i`)

const addProjects = (owner: number, from: number, to: number) =>
  execute(`insert into projects (owner_id, project_handle, collection_id, instance_id, public_read)
    select ${owner}, 'p' || i, i, i % 2000 + 1, i % 10 = 0 from generate_series(${from}, ${to}) i`)

const rowsRead = async (caller: Caller, reasons: readonly Visibility[], offset: number) => {
  const scans = await scansOf(service.database.search, service.database, (database) =>
    // Of columns with one name the watched database answers one.
    listReadable(database.search.db, caller, reasons, { limit: 10, offset }).catch(() => undefined),
  )
  expect(scans).not.toEqual([])
  return scans
}

describe.skipIf(postgresOfRun() === undefined)('where there are many projects', () => {
  beforeAll(async () => {
    service = await startOwnService()
  })
  afterAll(() => service.close())

  describe.each([
    ['that came after the planner was told of few', [begin, () => execute('analyze'), grow]],
    ['that were analyzed', [() => execute('analyze')]],
    ['of whose values nothing is known', [() => execute('delete from pg_statistic')]],
  ])('%s', (_, steps) => {
    beforeAll(async () => {
      for (const step of steps) await step()
    })

    it.each([
      ['large', visibilities],
      ['large', ['own']],
      ['small', visibilities],
      ['small', ['own']],
      ['small', ['shared']],
      ['limited', visibilities],
      ['limited', ['own']],
      ['limited', ['shared']],
      ['admin', visibilities],
      ['admin', ['public']],
      ['nobody', ['public']],
    ] as const)('a page for the %s (%j) reads the page', async (caller, reasons) => {
      const scans = await rowsRead(callers[caller], reasons, 20)
      const page = scans.filter(({ rows }) => rows < 1_000)
      // Each statement was planned twice; the rest is counting, up to a limit, by indexes alone.
      const rows = page.reduce((sum, scan) => sum + scan.rows, 0)
      // Of a limited key all is read that it reaches, which is a hundred: once to list, once to count.
      const most = caller === 'limited' ? 1_000 : 300
      expect(rows / 2, JSON.stringify(scans)).toBeLessThan(most)
      for (const scan of scans) expect(scan.rows, JSON.stringify(scan)).toBeLessThanOrEqual(10_001)
      expect(scans.filter(({ index }) => index === undefined)).toEqual([])
    })
  })
})
