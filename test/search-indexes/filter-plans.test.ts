import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileFilter } from '../../src/filters/condition.ts'
import { parseFilter } from '../../src/filters/parse.ts'
import { buildMetadataIndex, metadataIndexName } from '../../src/search-indexes/metadata-index.ts'
import { createFilterEstimate } from '../../src/similars/filter-estimate.ts'
import type { Query } from '../../src/similars/query.ts'
import { createStatements } from '../../src/similars/statements.ts'
import { plansOf } from '../support/database/plans.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

/** Projects that the statistics know, and one that was uploaded since. */
const known = 12
const newcomer = known + 1
const dimensions = 32
const vectors = 20_000
const form = { collectionId: newcomer, dimensions }
const index = { ...form, vectors, kind: 'halfvec_l2' } as const
const page = { limit: 10, offset: 0 }

let service: Awaited<ReturnType<typeof startOwnService>>

const execute = (text: string) => service.database.maintenance.db.execute(sql.raw(text))

const insert = (collections: string, rows: number, dimensions: number) =>
  execute(`insert into embeddings (collection_id, vector_dim, text_id, vector, metadata)
    select collection, ${dimensions}, 't' || i,
      (select array_agg(random()) from generate_series(1, ${dimensions}) where i > 0)::vector,
      jsonb_build_object('hundredth', i % 100, 'half', i % 2 = 0, 'tags', jsonb_build_array(i % 100))
    from generate_series(${collections}) as collection, generate_series(1, ${rows}) as i`)

const queryFor = (filter: object): Query => ({
  ...{ collectionId: newcomer, dimensions, threshold: 0, exclude: undefined, includeSelf: false },
  source: { textId: 't5' },
  filter: compileFilter(parseFilter(filter)),
})

const filters = [
  { hundredth: 7 },
  { hundredth: { $in: [7] }, half: { $ne: true } },
  { tags: { $contains: 7 } },
  { $or: [{ hundredth: 7, half: false }, { hundredth: 7.5 }] },
]

describe.skipIf(postgresOfRun() === undefined)('where the statistics know nothing of it', () => {
  beforeAll(async () => {
    service = await startOwnService()
    await execute('alter table embeddings set (autovacuum_enabled = false)')
    await execute(`insert into collections select from generate_series(1, ${newcomer})`)
    await insert(`1, ${known}`, 1_000, 16)
    await execute('analyze embeddings')
    await insert(`${newcomer}, ${newcomer}`, vectors, dimensions)
    for (const collectionId of [newcomer, known]) {
      await buildMetadataIndex(service.database, service.database.maintenance.db, {
        ...form,
        collectionId,
      })
    }
  }, 120_000)
  afterAll(() => service.close())

  it.each(filters)('what a filter keeps is found by the index on metadata: %j', async (filter) => {
    const plans = await plansOf(service.database, (db) =>
      createStatements(db).matching(queryFor(filter), index, page, 5_000, ['t107']),
    )
    expect(plans).toHaveLength(2)
    for (const { lines } of plans) {
      const plan = lines.join('\n')
      expect(plan).toMatch(`Bitmap Index Scan on ${metadataIndexName(form)}`)
      expect(plan).toMatch(/Bitmap Heap Scan on embeddings [^\n]*rows=200\b/)
      expect(plan).not.toContain('Seq Scan on embeddings')
      expect(plan).toContain('One-Time Filter')
    }
  })

  it('no more is compared than was asked for', async () => {
    const [plan] = await plansOf(service.database, (db) =>
      createStatements(db).matching(queryFor({ half: true }), index, page, 300),
    )
    expect(plan?.lines.join('\n')).toMatch(/Bitmap Heap Scan on embeddings [^\n]*rows=300\b/)
    const { search } = service.database
    const statements = createStatements(search.db)
    const found = await statements.matching(queryFor({ half: true }), index, page, 300)
    expect(found).toMatchObject({ count: 300, isThere: true })
    expect(found.candidates).toHaveLength(10)
  })

  it('nothing is read where there is no index on the metadata', async () => {
    const other = { ...index, collectionId: 1, dimensions: 16 }
    const query = { ...queryFor({ hundredth: 7 }), collectionId: 1, dimensions: 16 }
    const plans = await plansOf(service.database, (db) =>
      createStatements(db).matching(query, other, page, 5_000),
    )
    for (const { lines } of plans) {
      expect(lines.join('\n')).toMatch(/Seq Scan on embeddings [^\n]*never executed/)
    }
    const found = await createStatements(service.database.search.db).matching(
      ...([query, other, page, 5_000] as const),
    )
    expect(found).toEqual({ count: 0, isThere: false, candidates: [] })
  })

  it('a filter is estimated from a sample, by the primary key', async () => {
    const { search } = service.database
    const { shares } = await createFilterEstimate(search.db)(index, parseFilter({ half: true }))
    expect(shares.kept).toBeGreaterThan(0.3)
    expect(shares.kept).toBeLessThan(0.7)
    expect(shares.indexed).toBe(shares.kept)
    const range = parseFilter({ hundredth: { $gte: 90 }, half: true })
    const estimated = await createFilterEstimate(search.db)(index, range)
    expect(estimated.shares.kept).toBeLessThan(0.3)
    expect(estimated.shares.indexed).toBe(shares.kept)
    const none = await createFilterEstimate(search.db)(index, parseFilter({ half: { $ne: true } }))
    expect(none.shares.indexed).toBeUndefined()
    const keys = parseFilter({ hundredth: 7, text_id: { $gt: 't' } })
    const others = await createFilterEstimate(search.db)(index, keys)
    expect(others.shares.indexed).toBeUndefined()
  })
})
