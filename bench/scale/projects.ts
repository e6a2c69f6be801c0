import { call, createOwner, type Owner, type Project, uploadBody, upTo } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { createGenerator, toJson } from '../data.ts'
import { type Sql, withDatabase } from '../database.ts'
import { databaseSettings, withServer } from '../server.ts'
import { medianMs, numberOf, secondsOf } from './measures.ts'

const [dimensions, vectors, runs] = [384, 100, 200]
const projectsOfAUser = 100
const tables = ['users', 'projects', 'collections']

/** What a request costs beside so many projects of others. Times are those of a client, HTTP included. */
export async function measureProjects(
  { plan, report, databaseServer }: PostgresBench,
  count: number,
): Promise<void> {
  await withDatabase(databaseServer, (database, sql) =>
    withServer(plan.runtime, databaseSettings(database), async (server) => {
      const owner = await createOwner(server)
      const project = await owner.createProject('searched', dimensions)
      const generator = createGenerator(dimensions)
      await owner.upload(project, uploadBody(project, generator, upTo(vectors)))
      const before = await bytesOf(sql)
      await addProjects(sql, count)
      const bytes = (await bytesOf(sql)) - before
      const vacuum = await secondsOf(async () => {
        for (const table of tables) await sql.unsafe(`vacuum analyze ${table}`)
      })
      report.add('scale: projects', {
        projects: count,
        'bytes a project': bytes / count,
        'vacuum s': vacuum,
        ...(await times(owner, project, toJson(generator.vectorAt(vectors)))),
      })
    }),
  )
}

async function times(owner: Owner, project: Project, vector: string) {
  const get = (path: string, key = owner.key) =>
    medianMs(runs, () => call(owner.server.url, key, 'GET', path))
  const admin = (path: string, count: number) =>
    medianMs(count, () => call(owner.server.url, owner.server.adminKey, 'GET', path))
  return {
    'get a project ms': await get('/v1/projects/bench/searched'),
    'search 100 vectors ms': await medianMs(runs, () =>
      owner.search(`${project.similars}?threshold=0`, `{"vector":${vector}}`),
    ),
    'create a project ms': await medianMs(20, (run) =>
      owner.createProject(`new${run}`, dimensions),
    ),
    'list of a user ms': await admin('/v1/projects/user7?limit=100', runs),
    'all that is readable ms': await get('/v1/projects?limit=100'),
    'all, as administrator ms': await admin('/v1/projects?limit=100', 5),
    'GET /v1/users s': (await admin('/v1/users', 2)) / 1_000,
  }
}

/** Users with a hundred projects each; one of a thousand is public. */
async function addProjects(sql: Sql, count: number): Promise<void> {
  const users = Math.ceil(count / projectsOfAUser)
  await sql.unsafe(
    `insert into users (user_handle) select 'user' || at from generate_series(1, ${users}) as at`,
  )
  await sql.unsafe(`with added as (
      insert into collections (vectors, dimensions)
      select 100 * (at % 50), 384 from generate_series(1, ${count}) as at returning collection_id
    ), numbered as (select collection_id, row_number() over () as at from added)
    insert into projects (owner_id, project_handle, collection_id, public_read)
    select user_id, 'project' || at, collection_id, at % 1000 = 0
    from numbered join users on user_handle = 'user' || (1 + (at - 1) / ${projectsOfAUser})`)
}

const bytesOf = (sql: Sql) =>
  numberOf(sql, tables.map((table) => `pg_total_relation_size('${table}')`).join(' + '))
