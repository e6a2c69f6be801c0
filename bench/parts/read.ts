import { note } from '../../test/shared/time.ts'
import { createOwner } from '../api.ts'
import { bareGet, bareList } from '../bare.ts'
import type { PostgresBench } from '../bench.ts'
import { createGenerator, textIdAt } from '../data.ts'
import { load, settle, withDatabase } from '../database.ts'
import type { HttpJob, SqlJob } from '../jobs.ts'
import { alternate, withLoad } from '../load.ts'
import { judge } from '../report.ts'
import { databaseSettings, noIndexes, withServer } from '../server.ts'
import { sideBySide } from './search-rows.ts'

const vectors = 2_000
const dimensions = 1536
const page = 200

/** Lists and single embeddings beside bare SQL. */
export async function read(bench: PostgresBench): Promise<void> {
  note(`read: ${vectors} × ${dimensions}`)
  await withDatabase(bench.databaseServer, (database, sql) =>
    withServer({ ...databaseSettings(database), ...noIndexes }, async (server) => {
      const { createProject, key } = await createOwner(server)
      const { projectId, embeddings } = await createProject('read', dimensions)
      const collectionId = await load(sql, projectId, vectors, createGenerator(dimensions).vectorAt)
      await settle(sql)
      const target = { database, collectionId, vectors, dimensions }
      const ids = Array.from({ length: 50 }, (_, at) => textIdAt((at * vectors) / 50))
      const gets = (paths: readonly string[]): HttpJob => ({
        kind: 'http',
        url: server.url,
        key,
        expected: 200,
        requests: paths.map((path) => ({ method: 'GET', path: embeddings + path })),
      })
      await measure(bench, `list ${page}`, 2, gets([`?limit=${page}`]), bareList(target, page))
      const one = bareGet(
        target,
        ids.map((id) => [id]),
      )
      await measure(bench, 'get one', undefined, gets(ids.map((id) => `/${id}`)), one)
    }),
  )
}

async function measure(
  { plan, report }: PostgresBench,
  request: string,
  bound: number | undefined,
  httpJob: HttpJob,
  bareJob: SqlJob,
): Promise<void> {
  await withLoad(httpJob, (http) =>
    withLoad(bareJob, async (bare) => {
      for (const clients of [1, 4]) {
        const [ours, theirs] = await alternate([http, bare], clients, plan)
        if (ours === undefined || theirs === undefined) continue
        const value = ours.p50 / theirs.p50
        const judged = bound !== undefined && clients === 1
        report.add('read', {
          request: `${request} × ${dimensions}`,
          clients,
          ...sideBySide(ours, theirs),
          target: judged ? judge({ name: 'p50 ÷ bare', value, atMost: bound }) : '',
        })
      }
    }),
  )
}
