import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { oneRow } from '../../../src/db/columns.ts'
import { excluding } from '../../../src/filters/exclusion.ts'
import { parseFilter } from '../../../src/filters/parse.ts'
import { createExactly } from '../../../src/search/exactly.ts'
import { createNearest } from '../../../src/search/index/index-search.ts'
import { createFieldCheck } from '../../../src/search/missing-field.ts'
import { createInPieces } from '../../../src/search/pieces.ts'
import { testApp } from '../../support/app.ts'
import { collectionOf, indexNames, projectOf, structured } from '../../support/data/indexed.ts'
import { newQuery } from '../../support/data/query.ts'
import { plansOf } from '../../support/database/plans.ts'

const dimensions = 96
const documents = structured(1_200, dimensions)
const effort = { efSearch: 100, first: 50, most: 50, trusted: 50 }
const scanning = { ...effort, scanTuples: 20_000 }

async function indexedProject() {
  const project = await projectOf(documents)
  const collectionId = await collectionOf(project)
  const filter = excluding({ path: ['ref', 'book'], value: 'book 1' })
  const query = newQuery({ collectionId, dimensions, threshold: 0.5, filter }, documents[0]?.vector)
  const names = (await indexNames()).filter((name) => name.includes(`_${collectionId}_`))
  expect(names).toHaveLength(1)
  const index = { collectionId, dimensions, kind: 'halfvec_l2', vectors: documents.length } as const
  return { index, query, name: names[0] ?? '' }
}

describe('the plan of a search', () => {
  it('that is exact reads the rows of its project by the primary key and no other index', async () => {
    const { query } = await indexedProject()
    const { database } = await testApp()
    const scan = { query, collection: { vectors: documents.length } }
    const plans = await plansOf(database, (db) =>
      createExactly(db, createInPieces(db, database))(scan, { limit: 10, offset: 20 }),
    )
    expect(plans).toHaveLength(2)
    for (const { scans } of plans) {
      expect(scans).toEqual([
        { index: 'embeddings_collection_id_text_id_pk', rows: documents.length },
      ])
    }
  })

  it("that is approximate walks its project's index and sorts no project", async () => {
    const { query, index, name } = await indexedProject()
    for (const each of [effort, scanning]) {
      const plans = await plansOf((await testApp()).database, (db) =>
        createNearest(db)(query, index, each, 10),
      )
      for (const { scans, lines } of plans) {
        expect(scans).toEqual([{ index: name, rows: expect.any(Number) }])
        expect(scans[0]?.rows).toBeLessThan(200)
        expect(lines.join('\n')).toContain('One-Time Filter')
      }
    }
  })

  it.each([
    [['ref', 'book'], 1],
    [['nothing', 'here'], 1_000],
  ])(
    'for the field %j of a filter reads the first rows of its project, and few',
    async (path, rows) => {
      const { query } = await indexedProject()
      const collection = {
        ...{
          collectionId: query.collectionId,
          vectors: documents.length,
          revision: 1,
          history: '',
        },
        ...{ dimensions, addedAt: null, index: null },
      }
      const exclude = { path, value: 'any' }
      const filter = parseFilter({ [path.join('.')]: 'any' })
      for (const named of [
        { exclude, filter: undefined },
        { exclude: undefined, filter },
      ]) {
        const plans = await plansOf((await testApp()).database, (db) =>
          createFieldCheck(db)(collection, named),
        )
        // Whether the field is there with a value of another type is another statement.
        expect(plans).toHaveLength(named.filter === undefined ? 2 : 4)
        for (const { scans } of plans) {
          expect(scans).toEqual([{ index: 'embeddings_collection_id_text_id_pk', rows }])
        }
      }
    },
  )

  it('changes no setting of the connection', async () => {
    const { database } = await testApp()
    const { query, index } = await indexedProject()
    const odd = { ...effort, efSearch: 321, scanTuples: 54_321 }
    await createNearest(database.search.db)(query, index, odd, 10)
    const [row] = await database.search.db
      .select({
        efSearch: sql<string>`current_setting('hnsw.ef_search')`,
        scanTuples: sql<string>`current_setting('hnsw.max_scan_tuples')`,
      })
      .from(oneRow)
    expect(row).toEqual({ efSearch: '40', scanTuples: '20000' })
  })
})
