import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneRow } from '../../../src/db/columns.ts'
import type { Db } from '../../../src/db/database.ts'
import { type IndexKind, indexColumn } from '../../../src/db/pgvector.ts'
import { compileFilter } from '../../../src/filters/condition.ts'
import { parseFilter } from '../../../src/filters/parse.ts'
import { createExactly } from '../../../src/search/exactly.ts'
import { createNearest } from '../../../src/search/index/index-search.ts'
import { createFieldCheck } from '../../../src/search/missing-field.ts'
import { createInPieces } from '../../../src/search/pieces.ts'
import type { Query } from '../../../src/search/query.ts'
import { newQuery } from '../../support/data/query.ts'
import {
  dimensions,
  known,
  newcomer,
  startWithNewcomer,
  vectors,
} from '../../support/database/newcomer.ts'
import { searchPlansOf } from '../../support/database/plans.ts'
import { postgresOfRun } from '../../support/servers/postgres-place.ts'

const once = { efSearch: 1_000, first: 50, most: 50, trusted: 50 }
const effort = { ...once, scanTuples: 20_000 }
const table = 'embeddings'
const primaryKey = 'embeddings_collection_id_text_id_pk'

let service: Awaited<ReturnType<typeof startWithNewcomer>>

const exactly = (db: Db, query: Query, excludedIds: readonly string[] = []) =>
  createExactly(db, createInPieces(db, service.database))(
    { query, collection: { vectors } },
    { limit: 10, offset: 0 },
    excludedIds,
  )

async function buildIndex(kind: IndexKind): Promise<void> {
  const column = indexColumn(sql`vector`, { dimensions, kind })
  await service.database.maintenance.db.execute(
    sql`create index ${sql.identifier(`by_${kind}`)} on embeddings using hnsw (${column})
      where collection_id = ${sql.raw(`${newcomer}`)} and vector_dim = ${sql.raw(`${dimensions}`)}`,
  )
}

const sources = {
  'a text_id': 't5',
  'a vector': Array.from({ length: dimensions }, (_, i) => i + 1),
}
const filters = { '': undefined, ' with a filter': { path: ['digit'], value: '3' } }
const excluded = { '': [], ' behind others': Array.from({ length: 550 }, (_, i) => `t${7 * i}`) }

const variants = Object.entries(sources).flatMap(([from, source]) =>
  Object.entries(filters).flatMap(([filtered, exclude]) =>
    Object.entries(excluded).map(([behind, excludedIds]) => {
      const given = { collectionId: newcomer, dimensions, threshold: 0.5, exclude }
      const query = newQuery(given, source)
      return { name: `${from}${filtered}${behind}`, query, excludedIds }
    }),
  ),
)

describe.skipIf(postgresOfRun() === undefined)('where the statistics know nothing of it', () => {
  beforeAll(async () => {
    service = await startWithNewcomer(`jsonb_build_object('digit', i % 10, 'book', 'one')`)
    for (const kind of ['halfvec_l2', 'bit'] as const) await buildIndex(kind)
  })
  afterAll(() => service.close())

  it.each(variants)('a project is searched exactly by its primary key: $name', async (variant) => {
    const { query, excludedIds } = variant
    const plans = await searchPlansOf(service.database, (db) => exactly(db, query, excludedIds))
    const listed = plans.splice(2)
    for (const { scans, text } of plans) {
      expect(scans).toEqual([{ table, index: primaryKey, rows: vectors }])
      expect(text).not.toMatch(/Join|Nested Loop/)
      if (excludedIds.length > 0) expect(text).toContain('hashed SubPlan')
    }
    // What was found is looked up once more.
    expect(listed).toHaveLength(2)
    for (const { scans } of listed) {
      expect(scans).toEqual([{ table, index: primaryKey, rows: expect.any(Number) }])
      expect(scans[0]?.rows).toBeLessThan(100)
    }
  })

  it.each(variants)('a project is searched by its index: $name', async (variant) => {
    const { query } = variant
    for (const kind of ['halfvec_l2', 'bit'] as const) {
      for (const each of [once, effort]) {
        const plans = await searchPlansOf(service.database, (db) =>
          createNearest(db)(query, { kind, vectors }, each, 10),
        )
        expect(plans).toHaveLength(2)
        for (const { scans, text } of plans) {
          expect(scans).toEqual([{ table, index: `by_${kind}`, rows: expect.any(Number) }])
          expect(scans[0]?.rows).toBeLessThan(vectors / 10)
          expect(text).toContain('One-Time Filter')
        }
      }
    }
  })

  it('a filter on any field is applied to what the index finds', async () => {
    const each = [{ digit: 3 }, { text_id: 't1' }, { created_at: { $lt: '2000-01-01' } }]
    const filter = compileFilter(
      parseFilter({ $or: [...each, { $text: { $exists: true } }, { $text: { $contains: 'a' } }] }),
    )
    const query = newQuery({ collectionId: newcomer, dimensions, filter }, 't5')
    const index = { kind: 'halfvec_l2', vectors } as const
    const wide = { efSearch: 400, first: 200, most: 200, trusted: 200 }
    const found = await createNearest(service.database.search.db)(query, index, wide, 10)
    expect(found).toHaveLength(10)
  })

  it('a project without an index is searched by its primary key, and no other is looked at', async () => {
    const [{ query } = expect.fail()] = variants
    const other = { ...query, collectionId: known, dimensions: 16 }
    const index = { kind: 'halfvec_l2', vectors: 1_000 } as const
    const searches = await searchPlansOf(service.database, async (db) => {
      await createNearest(db)(other, index, effort, 10)
      await exactly(db, other)
    })
    for (const { scans } of searches.slice(0, 4)) {
      expect(scans).toEqual([{ table, index: primaryKey, rows: 1_000 }])
    }
  })

  it.each([
    [['book'], 1],
    [['nothing', 'here'], 1_000],
  ])('the field %j is looked for in the first rows of its project, and few', async (path, rows) => {
    const collection = {
      ...{ collectionId: newcomer, dimensions, vectors, revision: 1, history: '' },
      ...{ addedAt: null, index: null },
    }
    const exclude = { path, value: 'any' }
    const filter = parseFilter({ [path.join('.')]: 'any' })
    for (const named of [
      { exclude, filter: undefined },
      { exclude: undefined, filter },
    ]) {
      const plans = await searchPlansOf(service.database, (db) =>
        createFieldCheck(db)(collection, named),
      )
      // Whether a field that lacks such a value has another one is another statement.
      expect(plans).toHaveLength(named.filter === undefined || rows === 1 ? 2 : 4)
      for (const { scans } of plans) expect(scans).toEqual([{ table, index: primaryKey, rows }])
    }
  })

  it('a search by an index changes no setting of the connection', async () => {
    const { db } = service.database.search
    const [{ query } = expect.fail()] = variants
    const odd = { ...once, efSearch: 321, scanTuples: 54_321 }
    await createNearest(db)(query, { kind: 'halfvec_l2', vectors }, odd, 10)
    const [row] = await db
      .select({
        efSearch: sql<string>`current_setting('hnsw.ef_search')`,
        scanTuples: sql<string>`current_setting('hnsw.max_scan_tuples')`,
      })
      .from(oneRow)
    expect(row).toEqual({ efSearch: '40', scanTuples: '20000' })
  })
})
