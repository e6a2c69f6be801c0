import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneRow } from '../../src/db/columns.ts'
import { distribute } from '../../src/db/postgres/distribute.ts'
import { cacheLimits } from '../support/app.ts'
import { type Ask, askerOf, makeProject } from '../support/servers/own-projects.ts'
import { startBeside, startOwnService } from '../support/servers/own-service.ts'
import { isOnCitus } from '../support/servers/postgres-place.ts'
import { waitUntil } from '../support/wait.ts'

const dimensions = 8
const embeddings = '/v1/embeddings/ann/texts'
const similars = '/v1/similars/ann/texts'
const vectorOf = (seed: number) =>
  Array.from({ length: dimensions }, (_, at) => ((seed * 31 + at * 17) % 13) - 6.5)
const batch = (from: number, count: number) => ({
  instance_handle: 'model',
  vector_dim: dimensions,
  embeddings: Array.from({ length: count }, (_, at) => ({
    text_id: `t${from + at}`,
    vector: vectorOf(from + at),
    text: 'text',
    metadata: { author: at % 2 ? 'Ovid' : 'Homer' },
  })),
})

let service: Awaited<ReturnType<typeof startOwnService>>

const ask = async (...request: Parameters<Ask>) => {
  const answer = await askerOf(service)(...request)
  expect([200, 201]).toContain(answer.status)
  return answer
}

/** What the coordinator has asked so far: one worker, or several at once. */
async function asked() {
  const count = (name: string) =>
    sql`(select query_execution_${sql.raw(name)}_shard from citus_stat_counters where name = current_database())`.mapWith(
      Number,
    )
  const [row] = await service.database.maintenance.db
    .select({ one: count('single'), several: count('multi') })
    .from(oneRow)
  if (row === undefined) throw new Error('there are no counters')
  return row
}

/** How often transactions have been prepared on a worker, as far as it has not been cleared away. */
async function prepared(): Promise<number> {
  const [row] = await service.database.maintenance.db
    .select({ count: sql`(select count(*) from pg_dist_transaction)`.mapWith(Number) })
    .from(oneRow)
  return row?.count ?? 0
}

const query = (more: object = {}) => ({ vector: vectorOf(5), threshold: 0, ...more })
const filter = { author: 'Ovid' }

/** Each request, and whether it reads or writes embeddings. */
const requests: [what: string, method: string, path: string, body?: object][] = [
  ['an upload', 'POST', embeddings, batch(1_000, 50)],
  ['an upload that replaces', 'POST', `${embeddings}?on_conflict=replace`, batch(1_010, 50)],
  ['an upload that skips', 'POST', `${embeddings}?on_conflict=skip`, batch(1_020, 50)],
  ['the first page of a list', 'GET', `${embeddings}?limit=10`],
  ['a page further down', 'GET', `${embeddings}?limit=10&offset=100`],
  ['a page by cursor', 'GET', `${embeddings}?limit=10&after=t50`],
  ['a page of what a filter keeps', 'GET', `${embeddings}?filter=${JSON.stringify(filter)}`],
  ['one embedding', 'GET', `${embeddings}/t7`],
  ['a search by vector', 'POST', similars, query()],
  ['a search by text_id', 'GET', `${similars}/t7?threshold=0`],
  ['a search that filters', 'POST', similars, query({ filter })],
  ['an exact search', 'POST', similars, query({ exact: true })],
  ['a search far down', 'POST', similars, query({ offset: 100 })],
  [
    'counting what a filter keeps',
    'GET',
    `/v1/projects/ann/texts/count?filter=${JSON.stringify(filter)}`,
  ],
  [
    'which are missing',
    'POST',
    `${embeddings}/missing`,
    { items: [{ text_id: 't1' }, { text_id: 'none' }] },
  ],
  ['the deletion of one', 'DELETE', `${embeddings}/t20`],
  ['the deletion of some', 'POST', `${embeddings}/delete`, { text_ids: ['t21', 't22'] }],
  ['the deletion of what a filter keeps', 'POST', `${embeddings}/delete`, { filter }],
  ['what a project holds', 'GET', '/v1/projects/ann/texts/statistics'],
]

describe.runIf(isOnCitus())('embeddings on the workers of a Citus cluster', () => {
  beforeAll(async () => {
    // So that searches ask the database.
    service = await startOwnService({ cacheLimits: { ...cacheLimits, maxBytes: 0 } })
    await makeProject(ask, 'ann/texts', dimensions, { public_read: true })
    await ask('POST', embeddings, batch(0, 300))
  })
  afterAll(() => service.close())

  it('are counted on all workers where no collection is named', async () => {
    const before = await asked()
    await service.database.maintenance.db.execute(sql`select count(*) from embeddings`)
    expect((await asked()).several - before.several).toBe(1)
  })

  it.each(requests)('%s asks one worker', async (_, method, path, body) => {
    const before = await asked()
    await ask(method, path, body)
    const after = await asked()
    expect(after.several - before.several).toBe(0)
    expect(after.one - before.one).toBeGreaterThan(0)
  })

  it('asks one worker for the vectors that are kept in memory, and for what a filter keeps', async () => {
    const own = startBeside(service, { cacheLimits })
    const search = (more?: object) => askerOf(own)('POST', similars, query(more))
    const before = await asked()
    await waitUntil(async () => {
      await search()
      return own.vectorCache.usage().held.some((each) => each.isReady)
    })
    for (const more of [{}, { filter }, { filter }]) {
      expect(await search(more)).toMatchObject({ status: 200 })
    }
    const after = await asked()
    expect(after.several - before.several).toBe(0)
    expect(after.one - before.one).toBeGreaterThan(0)
  })

  it.each([
    ['an upload', 'POST', embeddings, batch(5_000, 3)],
    ['the deletion of one', 'DELETE', `${embeddings}/t5000`, undefined],
    ['the deletion of some', 'POST', `${embeddings}/delete`, { text_ids: ['t5001', 't5002'] }],
  ])('%s is prepared on the worker before it is committed', async (_, method, path, body) => {
    const before = await prepared()
    await ask(method, path, body)
    expect(await prepared()).toBeGreaterThan(before)
  })

  it('is distributed once, however often that is asked for', async () => {
    const again = await distribute(service.database, 99)
    expect(again).toEqual({ shards: 4, workers: 2 })
  })
})
