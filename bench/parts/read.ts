import { note } from '../../test/shared/time.ts'
import { createOwner } from '../api.ts'
import { bareGet, bareList } from '../bare.ts'
import type { PostgresBench } from '../bench.ts'
import { createGenerator, textIdAt } from '../data.ts'
import { load, settle, withDatabase } from '../database.ts'
import type { HttpJob, SqlJob } from '../jobs.ts'
import { alternate, withLoad } from '../load.ts'
import { metered } from '../metered.ts'
import { type CpuTimes, cpuOf } from '../processes.ts'
import { judge } from '../report.ts'
import { databaseSettings, noIndexes, withServer } from '../server.ts'
import { sideBySide } from './search-rows.ts'

const vectors = 2_000
const dimensions = 1536
const page = 200
const one = 'get one'

/** Lists and single embeddings beside bare SQL. */
export async function read(bench: PostgresBench): Promise<void> {
  const { runtime } = bench.plan
  note(`read: ${vectors} × ${dimensions}`)
  await withDatabase(bench.databaseServer, (database, sql) =>
    withServer(runtime, { ...databaseSettings(database), ...noIndexes }, async (server) => {
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
      const cpu = async () => cpuOf(server.pid)
      await measure(bench, cpu, `list ${page}`, 2, gets([`?limit=${page}`]), bareList(target, page))
      const bareOne = bareGet(
        target,
        ids.map((id) => [id]),
      )
      await measure(bench, cpu, one, 3, gets(ids.map((id) => `/${id}`)), bareOne)
    }),
  )
}

async function measure(
  { plan, report }: PostgresBench,
  cpu: () => Promise<CpuTimes | undefined>,
  request: string,
  bound: number,
  httpJob: HttpJob,
  bareJob: SqlJob,
): Promise<void> {
  await withLoad(httpJob, (http) =>
    withLoad(bareJob, async (bare) => {
      for (const clients of [1, 4]) {
        const meter = metered(http, cpu)
        const [ours, theirs] = await alternate([meter, bare], clients, plan)
        if (ours === undefined || theirs === undefined) continue
        const ratio = { name: 'p50 ÷ bare', value: ours.p50 / theirs.p50, atMost: bound }
        const cpuMs = meter.msPerRequest()
        report.add('read', {
          request: `${request} × ${dimensions}`,
          clients,
          ...sideBySide(ours, theirs),
          'service CPU ms': cpuMs,
          target: clients === 1 ? judge(ratio, cpuTarget(request, cpuMs)) : '',
        })
      }
    }),
  )
}

const cpuTarget = (request: string, value: number | undefined) =>
  request === one && value !== undefined
    ? { name: 'service CPU ms', value, atMost: 0.4 }
    : undefined
