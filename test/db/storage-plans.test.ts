// biome-ignore-all lint/style/noExcessiveLinesPerFile: all are tried on the same data, which take seconds to make
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccess } from '../../src/access/access.ts'
import type { ProjectWithCollection } from '../../src/access/project.ts'
import { Cleaner } from '../../src/collections/cleaner.ts'
import { countEmbeddings, findTextIds } from '../../src/collections/keys.ts'
import type { Database } from '../../src/db/database.ts'
import { offlineDatabase } from '../../src/db/offline.ts'
import { deleteMany, removeAll, removeOne } from '../../src/embeddings/delete.ts'
import { readPage } from '../../src/embeddings/list.ts'
import { filterCondition } from '../../src/filters/condition.ts'
import { excluding } from '../../src/filters/exclusion.ts'
import { parseFilter } from '../../src/filters/parse.ts'
import { createInstances } from '../../src/instances/instances.ts'
import { MetadataSchemes } from '../../src/metadata-schemes/metadata-schemes.ts'
import { createProjects } from '../../src/projects/projects.ts'
import { aroundByFields, placedAmong } from '../../src/search/around/by-fields.ts'
import { aroundByNumber } from '../../src/search/around/by-number.ts'
import { keptStatement } from '../../src/search/listed.ts'
import { missedChange } from '../../src/search/memory/read-vectors.ts'
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
import { adminKey, appSettings } from '../support/app.ts'
import { type Scan, scansOf } from '../support/database/scans.ts'
import { watch } from '../support/secrets/watch.ts'
import { encryptionKey, startOwnService } from '../support/servers/own-service.ts'
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

const pools = {
  short: () => service.database.short,
  bulk: () => service.database.bulk,
  search: () => service.database.search,
  maintenance: () => service.database.maintenance,
}

interface Work {
  readonly name: string
  readonly pool: keyof typeof pools
  readonly run: (database: Database) => Promise<unknown>
  /** Rows of `embeddings` that it may meet. */
  readonly rows: number
}

async function consume(rows: AsyncIterable<unknown>, atMost: number): Promise<void> {
  let left = atMost
  for await (const _ of rows) {
    left -= 1
    if (left === 0) return
  }
}

const readFrom = (offset: number) => (database: Database) =>
  consume(readPage(database.search.db, newcomer, { limit: 10, offset }), 1)

const nothing = () => {}
const noCache = new VectorCache(
  offlineDatabase,
  { maxBytes: 0, fewestComponents: 0, exactBudget: 0 },
  { info: nothing, warn: nothing },
)
const admin = { kind: 'admin' } as const
const ann = () => ({ userId: project.ownerId, handle: 'ann' })
const checked = () => ({
  ...{ projectId: project.projectId, collectionId: newcomer, scheme: null },
  project: { owner: 'ann', project_handle: project.handle },
  recorded: { vectors, dimensions: 3 },
})
const projectsOf = (database: Database) => createProjects(database, new MetadataSchemes(), nothing)
const page = { limit: 10, offset: 0 }

const works: Work[] = [
  { name: 'the first page of a list', pool: 'search', run: readFrom(0), rows: 10 },
  { name: 'a page far down a list', pool: 'search', run: readFrom(40_000), rows: 40_011 },
  {
    name: 'a page by cursor, far down a list',
    pool: 'search',
    run: ({ search }) =>
      consume(
        readPage(search.db, newcomer, { limit: 10, offset: 0, after: 't040000', looksAhead: true }),
        1,
      ),
    rows: 11,
  },
  {
    name: 'a page of what satisfies a filter',
    pool: 'search',
    run: ({ search }) => {
      const condition = filterCondition(parseFilter({ 'ref.book': { $ne: 'Mark' } }))
      const filtered = { limit: 10, offset: 0, after: 't040000', condition, looksAhead: true }
      return consume(readPage(search.db, newcomer, filtered), 1)
    },
    rows: 11,
  },
  {
    name: 'counting what satisfies a filter',
    pool: 'search',
    run: ({ search }) =>
      countEmbeddings(search.db, newcomer, filterCondition(parseFilter({ year: 1611 }))),
    rows: vectors + 1,
  },
  {
    name: 'the deletion of one embedding',
    pool: 'short',
    run: ({ short }) => removeOne(short.db, project, 't000007'),
    rows: 1,
  },
  {
    name: 'the deletion of some embeddings by their text_ids',
    pool: 'bulk',
    run: (database) =>
      deleteMany(database, noCache, project, { textIds: ['t000009', 't000010', 'none'] }),
    rows: 4,
  },
  {
    name: 'the deletion of some embeddings by a filter',
    pool: 'bulk',
    run: (database) =>
      deleteMany(database, noCache, project, {
        condition: filterCondition(parseFilter({ text_id: { $gte: 't049990' } })),
      }),
    rows: vectors + 22,
  },
  {
    name: 'finding which of some text_ids are there',
    pool: 'search',
    run: ({ search }) => findTextIds(search.db, newcomer, ['t000020', 't000030', 'x']),
    rows: 2,
  },
  {
    name: 'what another server has changed',
    pool: 'search',
    run: async ({ search }) => {
      const state = { collectionId: newcomer, dimensions: 3, vectors, revision: 9, history: '' }
      expect(await missedChange(search.db, state, 6)).toMatchObject({ after: 6, revision: 9 })
    },
    rows: 3,
  },
  {
    name: 'some of the texts whose words are indexed',
    pool: 'search',
    run: ({ search }) => consume(readAllTexts(search.db, newcomer), 2),
    rows: 4_004,
  },
  {
    name: 'the texts of what was changed',
    pool: 'search',
    run: ({ search }) => consume(readChanged(search.db, newcomer, ['t000020', 't000030', 'x']), 1),
    rows: 4,
  },
  {
    name: 'what a filter keeps of the best matches for words',
    pool: 'search',
    run: ({ search }) => {
      const query = {
        ...{ collectionId: newcomer, source: { textId: '' }, vector: '', dimensions: 3 },
        ...{ threshold: 0, filter: excluding({ path: ['a'], value: 'b' }) },
        includeSelf: true,
      }
      const listedIds = JSON.stringify(['t000020', 't000030', 'x'])
      const values = { ...valuesOf(query), listedIds }
      return keptStatement(search.db, variantOf(query)).execute(values)
    },
    rows: 3,
  },
  {
    name: 'telling what a project holds',
    pool: 'search',
    run: (database) => createStatistics(database).summary(project),
    // Each is looked at to find where a group begins, and measured.
    rows: 2 * vectors,
  },
  {
    name: 'telling the metadata fields of a project',
    pool: 'search',
    run: (database) => createStatistics(database).fields(project),
    rows: vectors + 10_000,
  },
  {
    name: 'counting the values of fields among what satisfies a filter',
    pool: 'search',
    run: (database) => {
      const filter = parseFilter({ year: { $ne: 1611 } })
      return createStatistics(database).fields(project, { paths: [['a'], ['b', 'c']], filter })
    },
    rows: vectors + 1,
  },
  {
    name: 'what stands around texts by their numbers',
    pool: 'search',
    run: ({ search }) =>
      aroundByNumber(search.db, newcomer, ['t000020', 't000030', 'x'], { before: 1, after: 1 }),
    // Each of the numbers that it may look up, and twice where there may be leading zeros.
    rows: 2 * 2 * 2 * 50,
  },
  {
    name: 'what stands around texts in a reading order',
    pool: 'search',
    run: async ({ search, isDistributed }) => {
      const paths = [['a'], ['b']]
      const ordered = { collection: project.collection, paths, isDistributed }
      const limits = { before: 1, after: 1 }
      await aroundByFields(search.db, ordered, ['t000020', 't000030', 'x'], limits)
    },
    rows: 3,
  },
  {
    name: 'all that stands around texts in a reading order',
    pool: 'search',
    run: ({ search, isDistributed }) => {
      const ordered = { collection: project.collection, paths: [['a'], ['b']], isDistributed }
      const places = [{ id: 't000020', lead: '["x"]' }]
      return placedAmong(search.db, ordered, places, { before: 1, after: 1 })
    },
    rows: vectors + 3,
  },
  {
    name: 'the deletion of all embeddings',
    pool: 'bulk',
    run: ({ bulk }) => removeAll(bulk.db, project),
    rows: 0,
  },
  {
    name: 'the deletion of a project',
    pool: 'bulk',
    run: (database) => projectsOf(database).remove(project),
    rows: 0,
  },
  {
    name: 'the removal of a user',
    pool: 'bulk',
    run: (database) => createUsers(database, createSealer(encryptionKey), nothing).remove('ann'),
    rows: 0,
  },
  {
    name: 'cleaning up',
    pool: 'maintenance',
    run: async (database) => {
      await removeAll(database.bulk.db, project)
      await new Cleaner(database, watch.log()).clean()
    },
    // Each is looked at to find where a batch ends, and deleted.
    rows: 2 * vectors,
  },
  {
    name: 'some lengths for the sanity check',
    pool: 'search',
    run: ({ search }) => wrongLengths(search.db, checked(), 't000700'),
    rows: 500,
  },
  {
    name: 'some metadata for the sanity check',
    pool: 'search',
    run: ({ search }) => nextMetadata(search.db, checked(), 't000700'),
    rows: 50,
  },
  {
    name: 'the size of a project for the sanity check',
    pool: 'search',
    run: ({ search }) => sizesOf(search.db, checked()),
    rows: vectors + 1,
  },
  {
    name: 'another instance for a project',
    pool: 'short',
    run: (database) =>
      projectsOf(database).put(admin, ann(), `p${newcomer}`, {
        description: null,
        publicRead: false,
        metadataScheme: null,
        readingOrder: null,
        textQueries: 'off',
        textQueryBudget: null,
        instance: { owner: 'ben', handle: 'model' },
        shares: [],
      }),
    rows: 0,
  },
  {
    name: 'another model for an instance',
    pool: 'short',
    run: (database) => {
      const sealer = createSealer(encryptionKey)
      const owner = ann()
      const input = { fields: {}, providerKey: undefined, definition: undefined }
      const service = { endpoint: 'https://b.example', apiStandard: 'provider-a', dimensions: 3 }
      return createInstances(database, sealer, () => {})
        .put(admin, owner, 'model', { ...input, fields: { ...service, model: 'n' } }, false)
        .catch((error) => expect(error).toMatchObject({ kind: 'conflict' }))
    },
    rows: 0,
  },
  {
    name: 'the provider of a project',
    pool: 'short',
    run: (database) => createFindProvider(database, createSealer(encryptionKey)).ofProject(project),
    rows: 0,
  },
  {
    name: 'counting the texts that are embedded',
    pool: 'short',
    run: (database) =>
      chargeBudget(
        database,
        project,
        { caller: 'ann', isMember: true, bound: { instanceId: 1, isLent: true } },
        { requests: 1, characters: 1 },
      ),
    rows: 0,
  },
  {
    name: 'a list of projects',
    pool: 'short',
    run: (database) => projectsOf(database).list(admin, ann(), page, false),
    rows: 0,
  },
  {
    name: 'a list of projects with shared ones',
    pool: 'short',
    run: (database) => projectsOf(database).list(admin, ann(), page, true),
    rows: 0,
  },
  {
    name: 'a list of instances',
    pool: 'short',
    run: (database) => createInstances(database, createSealer(encryptionKey), () => {}).list(ann()),
    rows: 0,
  },
]

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

  it.each(works)('$name reads what belongs to it, by its key', async ({ pool, run, rows }) => {
    const scans = await scansOf(pools[pool](), service.database, run)
    const ofEmbeddings = scans.filter(({ table }) => table === 'embeddings')
    for (const { index } of ofEmbeddings) expect(index).toBe(primaryKey)
    // Each statement was planned twice.
    expect(sumOf(ofEmbeddings) / 2).toBeLessThanOrEqual(rows)
    if (rows > 0) expect(ofEmbeddings).not.toEqual([])
  })

  it.each(
    works.filter(({ name }) => name !== 'cleaning up'),
  )('$name meets hardly any projects and instances of others', async ({ pool, run }) => {
    const scans = await scansOf(pools[pool](), service.database, run)
    for (const table of [
      ...['projects', 'instances', 'collections', 'project_shares'],
      ...['collection_changes', 'text_query_usage', 'instance_shares'],
    ]) {
      const met = sumOf(scans.filter((scan) => scan.table === table)) / 2
      expect(met, table).toBeLessThan(others / 10)
    }
  })

  it('what the search indexes need to know is found among all collections by a key', async () => {
    const { searchIndexes } = service
    expect(appSettings.indexLimits.exactBudget).toBe(100_000)
    expect([...(await searchIndexes.faults())]).toEqual([[newcomer, 'missing']])
  })
})
