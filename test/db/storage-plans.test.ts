import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccess } from '../../src/access/access.ts'
import type { ProjectWithCollection } from '../../src/access/project.ts'
import { Cleaner } from '../../src/collections/cleaner.ts'
import { countEmbeddings, findTextIds, readTextIds } from '../../src/collections/keys.ts'
import type { Database } from '../../src/db/database.ts'
import { offlineDatabase } from '../../src/db/offline.ts'
import { deleteMany, removeAll, removeOne } from '../../src/embeddings/delete.ts'
import { readPage } from '../../src/embeddings/list.ts'
import { filterCondition } from '../../src/filters/condition.ts'
import { excluding } from '../../src/filters/exclusion.ts'
import { parseFilter } from '../../src/filters/parse.ts'
import { createInstances } from '../../src/instances/instances.ts'
import { readTexts } from '../../src/maps/map-answer.ts'
import { MetadataSchemes } from '../../src/metadata-schemes/metadata-schemes.ts'
import { createProjects } from '../../src/projects/projects.ts'
import { aroundByFields, placedAmong } from '../../src/search/around/by-fields.ts'
import { aroundByNumber } from '../../src/search/around/by-number.ts'
import { keptStatement } from '../../src/search/listed.ts'
import { missedChange, readVectors } from '../../src/search/memory/read-vectors.ts'
import { VectorCache } from '../../src/search/memory/vector-cache.ts'
import { valuesOf, variantOf } from '../../src/search/query.ts'
import { readAllTexts, readChanged } from '../../src/search/words/read-texts.ts'
import { hashKey } from '../../src/secrets/keys.ts'
import { createSealer } from '../../src/secrets/sealing.ts'
import { nextMetadata, sizesOf, wrongLengths } from '../../src/service/sanity-check/statements.ts'
import { createStatistics } from '../../src/statistics/statistics.ts'
import { chargeBudget } from '../../src/text-embedding/budget.ts'
import { createFindProvider } from '../../src/text-embedding/find-provider.ts'
import { createUsers } from '../../src/users/users.ts'
import { adminKey, encryptionKey, indexLimits } from '../support/app.ts'
import { type Scan, scansOf } from '../support/database/plans.ts'
import { watch } from '../support/secrets/watch.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

/** Collections that the statistics know, of 1,000 vectors each, and one that was uploaded since. */
const known = 12
const newcomer = known + 1
const vectors = 50_000
/** Small projects of other users, also since. */
const others = 5_000
const users = 500
const primaryKey = 'embeddings_collection_id_text_id_pk'

let service: Awaited<ReturnType<typeof startOwnService>>
let project: ProjectWithCollection

const execute = (text: string) => service.database.maintenance.db.execute(sql.raw(text))

const fill = (collections: string, rows: number) =>
  execute(`insert into embeddings (collection_id, vector_dim, text_id, vector, text)
    select c, 3, 't' || to_char(i, 'FM000000'), '[1,2,3]', repeat('text', 20)
    from generate_series(${collections}) c, generate_series(1, ${rows}) i`)

const addProjects = (owner: string, from: number, to: number) =>
  execute(`insert into projects (owner_id, project_handle, instance_id, collection_id)
    select user_id, 'p' || c, instance_id, c from generate_series(${from}, ${to}) c, users
    join instances on owner_id = user_id where user_handle = '${owner}'`)

async function consume(rows: AsyncIterable<unknown>, atMost: number): Promise<void> {
  let left = atMost
  for await (const _ of rows) {
    left -= 1
    if (left === 0) return
  }
}

type Run = (database: Database) => Promise<unknown>
type Page = Parameters<typeof readPage>[2]

const readList =
  (page: Partial<Page>): Run =>
  ({ search }) =>
    consume(readPage(search.db, newcomer, { limit: 10, offset: 0, ...page }), 1)
const readsVectors =
  (filter?: object): Run =>
  ({ search }) => {
    const asked = { collectionId: newcomer, dimensions: 3, different: ['ref', 'book'] }
    return consume(readVectors(search.db, { ...asked, filter: filter && parseFilter(filter) }), 1)
  }

const readsTexts =
  (field?: readonly string[]): Run =>
  ({ search }) =>
    consume(readTexts(search.db, newcomer, field), 1)

const deleteThose =
  (chosen: Parameters<typeof deleteMany>[3]): Run =>
  (database) =>
    deleteMany(database, noCache, project, chosen)

const nothing = () => {}
const noCache = new VectorCache(
  offlineDatabase,
  { maxBytes: 0, fewestComponents: 0, exactBudget: 0 },
  { info: nothing, warn: nothing },
)
type Pool = 'short' | 'bulk' | 'search' | 'maintenance'
const admin = { kind: 'admin' } as const
const ann = () => ({ userId: project.ownerId, handle: 'ann' })
const checked = () => ({
  ...{ projectId: project.projectId, collectionId: newcomer, scheme: null },
  project: { owner: 'ann', project_handle: project.handle },
  recorded: { vectors, dimensions: 3 },
})
const page = { limit: 10, offset: 0 }
const projectsOf = (database: Database) => createProjects(database, new MetadataSchemes(), nothing)
const instancesOf = (database: Database) =>
  createInstances(database, createSealer(encryptionKey), nothing)
const where = (filter: object) => filterCondition(parseFilter(filter))
const some = ['t000020', 't000030', 'x']
const secondPage = { after: 't040000', looksAhead: true }

function keepOfListed({ search }: Database) {
  const query = {
    ...{ collectionId: newcomer, source: { textId: '' }, vector: '', dimensions: 3 },
    ...{ threshold: 0, filter: excluding({ path: ['a'], value: 'b' }) },
    ...{ includeSelf: true, without: [] },
  }
  const values = { ...valuesOf(query), listedIds: JSON.stringify(some) }
  return keptStatement(search.db, variantOf(query)).execute(values)
}

const around = { before: 1, after: 1 }
const inOrder = ({ isDistributed }: Database) => ({
  ...{ collection: project.collection, paths: [['a'], ['b']], isDistributed },
})

function countFields(database: Database) {
  const asked = { paths: [['a'], ['b', 'c']], filter: parseFilter({ year: { $ne: 1611 } }) }
  return createStatistics(database).fields(project, asked)
}

async function readMissedChange({ search }: Database) {
  const state = { collectionId: newcomer, dimensions: 3, vectors, revision: 9, history: '' }
  expect(await missedChange(search.db, state, 6)).toMatchObject({ after: 6, revision: 9 })
}

async function cleanUp(database: Database) {
  await removeAll(database.bulk.db, project)
  await new Cleaner(database, watch.log()).clean()
}

function putProject(database: Database) {
  const closed = { publicRead: false, textQueries: 'off', textQueryBudget: null } as const
  const described = { description: null, metadataScheme: null, readingOrder: null, shares: [] }
  const instance = { owner: 'ben', handle: 'model' }
  const input = { ...closed, ...described, instance }
  return projectsOf(database).put(admin, ann(), `p${newcomer}`, input)
}

function putInstance(database: Database) {
  const service = { endpoint: 'https://b.example', apiStandard: 'provider-a', dimensions: 3 }
  const fields = { ...service, model: 'n' }
  const input = { fields, providerKey: undefined, definition: undefined }
  return instancesOf(database)
    .put(admin, ann(), 'model', input, false)
    .catch((error) => expect(error).toMatchObject({ kind: 'conflict' }))
}

/** What is done by the sessions of each pool, and how many rows of `embeddings` it may meet. */
const works: Readonly<Record<Pool, Readonly<Record<string, readonly [rows: number, run: Run]>>>> = {
  search: {
    'the first page of a list': [10, readList({})],
    'a page far down a list': [40_011, readList({ offset: 40_000 })],
    'a page by cursor, far down a list': [11, readList(secondPage)],
    'a page of what satisfies a filter': [
      11,
      readList({ ...secondPage, condition: where({ 'ref.book': { $ne: 'Mark' } }) }),
    ],
    'counting what satisfies a filter': [
      vectors + 1,
      ({ search }) => countEmbeddings(search.db, newcomer, where({ year: 1611 })),
    ],
    'finding which of some text_ids are there': [
      2,
      ({ search }) => findTextIds(search.db, newcomer, some),
    ],
    'what another server has changed': [3, readMissedChange],
    'some of the texts whose words are indexed': [
      4_004,
      ({ search }) => consume(readAllTexts(search.db, newcomer), 2),
    ],
    'the texts of what was changed': [
      4,
      ({ search }) => consume(readChanged(search.db, newcomer, some), 1),
    ],
    // Each is the first group of all rows, in their order.
    'the vectors for all neighbours': [2_001, readsVectors()],
    'the vectors that a filter keeps': [2_001, readsVectors({ 'ref.book': { $ne: 'Mark' } })],
    'the vectors that a filter of text_ids keeps': [2_001, readsVectors({ text_id: { $gt: 'A' } })],
    'the text_ids whose neighbours an index finds': [
      2_000,
      ({ search }) => consume(readTextIds(search.db, newcomer, 'A'), 1),
    ],
    'the texts of a map': [2_000, readsTexts()],
    'the texts of a map with a field': [500, readsTexts(['ref', 'book'])],
    'what a filter keeps of the best matches for words': [3, keepOfListed],
    // Each is looked at to find where a group begins, and measured.
    'telling what a project holds': [
      2 * vectors,
      (database) => createStatistics(database).summary(project),
    ],
    'telling the metadata fields of a project': [
      vectors + 10_000,
      (database) => createStatistics(database).fields(project),
    ],
    'counting the values of fields among what satisfies a filter': [vectors + 1, countFields],
    // Each of the numbers that it may look up, and twice where there may be leading zeros.
    'what stands around texts by their numbers': [
      2 * 2 * 2 * 50,
      ({ search }) => aroundByNumber(search.db, newcomer, some, around),
    ],
    'what stands around texts in a reading order': [
      3,
      (database) => aroundByFields(database.search.db, inOrder(database), some, around),
    ],
    'all that stands around texts in a reading order': [
      vectors + 3,
      (database) => {
        const places = [{ id: 't000020', lead: '["x"]' }]
        return placedAmong(database.search.db, inOrder(database), places, around)
      },
    ],
    'some lengths for the sanity check': [
      500,
      ({ search }) => wrongLengths(search.db, checked(), 't000700'),
    ],
    'some metadata for the sanity check': [
      50,
      ({ search }) => nextMetadata(search.db, checked(), 't000700'),
    ],
    'the size of a project for the sanity check': [
      vectors + 1,
      ({ search }) => sizesOf(search.db, checked()),
    ],
  },
  bulk: {
    'the deletion of some embeddings by their text_ids': [4, deleteThose({ textIds: some })],
    'the deletion of some embeddings by a filter': [
      vectors + 22,
      deleteThose({ condition: where({ text_id: { $gte: 't049990' } }) }),
    ],
    'the deletion of all embeddings': [0, ({ bulk }) => removeAll(bulk.db, project)],
    'the deletion of a project': [0, (database) => projectsOf(database).remove(project)],
    'the removal of a user': [
      0,
      (database) => createUsers(database, createSealer(encryptionKey), nothing).remove('ann'),
    ],
  },
  // Each is looked at to find where a batch ends, and deleted.
  maintenance: { 'cleaning up': [2 * vectors, cleanUp] },
  short: {
    'the deletion of one embedding': [1, ({ short }) => removeOne(short.db, project, 't000007')],
    'another instance for a project': [0, putProject],
    'another model for an instance': [0, putInstance],
    'the provider of a project': [
      0,
      (database) => createFindProvider(database, createSealer(encryptionKey)).ofProject(project),
    ],
    'counting the texts that are embedded': [
      0,
      (database) =>
        chargeBudget(
          database,
          project,
          { caller: 'ann', isMember: true, bound: { instanceId: 1, isLent: true } },
          { requests: 1, characters: 1 },
        ),
    ],
    'a list of projects': [0, (database) => projectsOf(database).list(admin, ann(), page, false)],
    'a list of projects with shared ones': [
      0,
      (database) => projectsOf(database).list(admin, ann(), page, true),
    ],
    'a list of instances': [0, (database) => instancesOf(database).list(ann())],
  },
}
const cases = (['search', 'bulk', 'maintenance', 'short'] as const).flatMap((pool) =>
  Object.entries(works[pool]).map(([name, [rows, run]]) => ({ name, pool, rows, run })),
)

const sumOf = (scans: readonly Scan[]) => scans.reduce((sum, { rows }) => sum + rows, 0)

describe.skipIf(postgresOfRun() === undefined)('where the statistics know nothing of it', () => {
  beforeAll(async () => {
    service = await startOwnService()
    for (const table of [
      ...['embeddings', 'projects', 'collections', 'instances', 'project_shares'],
      ...['instance_shares', 'text_query_usage'],
    ]) {
      await execute(`alter table ${table} set (autovacuum_enabled = false)`)
    }
    await execute(`insert into users (user_handle) values ('ann'), ('ben')`)
    await execute(`insert into instances (instance_handle, owner_id, endpoint, api_standard, model, dimensions)
      select 'model', user_id, 'https://a.example', 'provider-a', 'm', 3 from users
      where user_handle <> '_system'`)
    await execute(`insert into collections (vectors, dimensions)
      select 1000, 3 from generate_series(1, ${known})`)
    await fill(`1, ${known}`, 1_000)
    await addProjects('ann', 1, known)
    await execute('analyze')
    await execute(`insert into collections (vectors, dimensions) values (${vectors}, 3)`)
    await addProjects('ann', newcomer, newcomer)
    await fill(`${newcomer}, ${newcomer}`, vectors)
    await execute(`insert into collections (vectors) select 0 from generate_series(1, ${others})`)
    await execute(`update collections set revision = 9 where collection_id >= ${newcomer}`)
    await execute(`insert into collection_changes
      select collection_id, change, '["t000001", "t000002", "x"]', now()
      from collections, generate_series(1, 9) change where collection_id >= ${newcomer}`)
    await execute(
      `insert into users (user_handle) select 'u' || i from generate_series(1, ${users}) i`,
    )
    await execute(`insert into instances (instance_handle, owner_id, endpoint, api_standard, model, dimensions)
      select 'model' || i, user_id, 'https://a.example', 'provider-a', 'm', 3
      from users, generate_series(1, ${others / users}) i where user_handle ~ '^u[0-9]'`)
    await execute(`insert into projects (owner_id, project_handle, instance_id, collection_id)
      select owner_id, instance_handle, instance_id, ${newcomer} + row_number() over (order by instance_id)
      from instances where instance_handle <> 'model'`)
    await execute(`insert into text_query_usage
      select project_id, current_date - day, 'u' || day, 1, 1 from projects, generate_series(0, 3) day`)
    // These are small enough to be analyzed soon after a tenth of them has changed.
    await execute('analyze users, projects, instances, project_shares')
    const access = createAccess(service.database, hashKey(adminKey))
    const target = { owner: 'ann', handle: `p${newcomer}` }
    const { thing } = await access.project(hashKey(adminKey), target)
    if (thing === undefined) throw new Error('there is no such project')
    project = thing
  })
  afterAll(() => service.close())

  const ofOthers = [
    ...['projects', 'instances', 'collections', 'project_shares', 'collection_changes'],
    ...['text_query_usage', 'instance_shares'],
  ]

  it.each(cases)(
    '$name reads what belongs to it, by its key',
    async ({ name, pool, run, rows }) => {
      const scans = await scansOf(service.database[pool], service.database, run)
      const ofEmbeddings = scans.filter(({ table }) => table === 'embeddings')
      for (const { index } of ofEmbeddings) expect(index).toBe(primaryKey)
      // Each statement was planned twice.
      expect(sumOf(ofEmbeddings) / 2).toBeLessThanOrEqual(rows)
      if (rows > 0) expect(ofEmbeddings).not.toEqual([])
      if (name === 'cleaning up') return
      for (const table of ofOthers) {
        const met = sumOf(scans.filter((scan) => scan.table === table)) / 2
        expect(met, table).toBeLessThan(others / 10)
      }
    },
  )

  it('what the search indexes need to know is found among all collections by a key', async () => {
    const { searchIndexes } = service
    expect(indexLimits.exactBudget).toBe(100_000)
    expect([...(await searchIndexes.faults())]).toEqual([[newcomer, 'missing']])
  })
})
