import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectionOf } from '../../../src/access/project.ts'
import type { Db } from '../../../src/db/database.ts'
import { indexName } from '../../../src/db/index-name.ts'
import { compileFilter } from '../../../src/filters/condition.ts'
import { parseFilter } from '../../../src/filters/parse.ts'
import { placedAmong } from '../../../src/search/around/by-fields.ts'
import { buildIndex } from '../../../src/search/index/catalog.ts'
import { createMatches } from '../../../src/search/matches.ts'
import { createInPieces } from '../../../src/search/pieces.ts'
import type { Query, Search } from '../../../src/search/query.ts'
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

const form = { collectionId: newcomer, dimensions, kind: 'metadata' } as const
const byIndex = (rows: number) => [{ table: 'embeddings', index: indexName(form), rows }]
const byKey = (rows: number) => [
  { table: 'embeddings', index: 'embeddings_collection_id_text_id_pk', rows },
]

let service: Awaited<ReturnType<typeof startWithNewcomer>>

const queryFor = (filter: object) =>
  newQuery({ collectionId: newcomer, dimensions, filter: compileFilter(parseFilter(filter)) }, 't5')

const matchesOn = (db: Db) =>
  createMatches(db, service.database, createInPieces(db, service.database))

const scansIn = async (run: (db: Db) => Promise<unknown>) =>
  (await searchPlansOf(service.database, run)).map(({ scans }) => scans)

/** How many are few depends on the size. */
const searchOf = (query: Query): Search => ({
  ...{ query, page: { limit: 10, offset: 0 }, index: null, minRecall: undefined },
  collection: {
    collectionId: query.collectionId,
    dimensions: query.dimensions,
    vectors,
    revision: 1,
    history: '',
  },
  canScan: true,
})

const filters = [
  { hundredth: 7 },
  { hundredth: { $in: [7] }, half: { $ne: true } },
  { tags: { $contains: 7 } },
  { $or: [{ hundredth: 7, half: false }, { hundredth: 7.5 }] },
]

describe.skipIf(postgresOfRun() === undefined)('where the statistics know nothing of it', () => {
  beforeAll(async () => {
    service = await startWithNewcomer(`jsonb_build_object('n', i, 'hundredth', i % 100,
      'half', i % 2 = 0, 'tags', jsonb_build_array(i % 100))`)
    for (const collectionId of [newcomer, known]) {
      await buildIndex(service.database.maintenance.db, { ...form, collectionId }, 1, 'one')
    }
  })
  afterAll(() => service.close())

  it.each(filters)('what a filter keeps is found by the index on metadata: %j', async (filter) => {
    const scans = await scansIn((db) => matchesOn(db).few(searchOf(queryFor(filter))))
    expect(scans).toEqual([byIndex(200), byIndex(200)])
  })

  it('what stands around a text in a reading order is found by the index on metadata', async () => {
    const collection = collectionOf(newcomer, {
      ...searchOf(queryFor({})).collection,
      index: null,
      addedAt: null,
    })
    const ordered = { collection, paths: [['hundredth'], ['n']], isDistributed: false }
    const places = [{ id: 't107', lead: '[7]' }]
    const look = (db: Db) => placedAmong(db, ordered, places, { before: 2, after: 2 })
    const found = { id: 't107', before: '["t7"]', after: '["t207","t307"]' }
    expect(await look(service.database.search.db)).toEqual([found])
    expect(await scansIn(look)).toEqual([byIndex(200), byIndex(200)])
  })

  it('no more are read than are few', async () => {
    const half = searchOf(queryFor({ half: true }))
    const [scans] = await scansIn((db) => matchesOn(db).few(half))
    expect(scans).toEqual(byIndex(1_232))
    const matches = matchesOn(service.database.search.db)
    expect(await matches.few(half)).toBeUndefined()
    expect(JSON.parse((await matches.all(half)).textIds)).toHaveLength(vectors / 2)
  })

  it.each([
    ['where there is no index on the metadata', { hundredth: 7 }, known, 16, 1_000],
    [
      'of which that index knows nothing',
      { hundredth: { $gte: 99 } },
      newcomer,
      dimensions,
      vectors,
    ],
  ])(
    'what a filter keeps, %s, is found by the primary key',
    async (_, filter, collectionId, dimensions, rows) => {
      const query = { ...queryFor(filter), collectionId, dimensions }
      const scans = await scansIn((db) => matchesOn(db).few(searchOf(query)))
      expect(scans).toEqual([byKey(rows), byKey(rows)])
    },
  )
})
