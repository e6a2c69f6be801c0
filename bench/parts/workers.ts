import { note } from '../../test/shared/time.ts'
import { createOwner, type Owner, type Project, uploadBody, upTo } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { createGenerator } from '../data.ts'
import { settle, withDatabase } from '../database.ts'
import type { HttpJob } from '../jobs.ts'
import { alternate, withLoads } from '../load.ts'
import { metered } from '../metered.ts'
import { cpuOf } from '../processes.ts'
import { databaseSettings, noIndexes, type Server, withServer } from '../server.ts'

/** Few enough that the database has nothing to do. */
const vectors = 100
const counts = [1, 2] as const
const clients = [4, 16]

/** What the service itself can do: one process and two workers, and what each part of a request costs. */
export async function workers(bench: PostgresBench): Promise<void> {
  const { runtime } = bench.plan
  await withDatabase(bench.databaseServer, async (database, sql) => {
    const settings = { ...databaseSettings(database), ...noIndexes }
    const [one, two] = counts.map((count) => ({ ...settings, SERVICE_WORKERS: `${count}` }))
    await withServer(runtime, one ?? {}, (single) =>
      withServer(runtime, two ?? {}, async (several) => {
        const owner = await createOwner(single)
        for (const dimensions of [384, 1536]) {
          note(`workers: ${vectors} × ${dimensions}`)
          const project = await owner.createProject(`of-${dimensions}`, dimensions)
          const generator = createGenerator(dimensions)
          await owner.upload(project, uploadBody(project, generator, upTo(vectors)))
          await settle(sql)
          for (const [name, job] of Object.entries(jobsOf(owner, project))) {
            await measure(bench, [single, several], `${name} × ${dimensions}`, job)
          }
        }
      }),
    )
  })
}

/** Each does what the one before does, and more. */
function jobsOf({ key }: Owner, project: Project): Record<string, Omit<HttpJob, 'url'>> {
  const { dimensions, similars } = project
  const generator = createGenerator(dimensions)
  const search = (vector: readonly number[]) => ({
    method: 'POST' as const,
    path: similars,
    body: new TextEncoder().encode(JSON.stringify({ vector, count: 10 })),
  })
  const sought = upTo(50).map((index) => [...generator.vectorAt(vectors + index)])
  const common = { kind: 'http' as const, key, expected: 200 }
  return {
    'HTTP alone': { ...common, requests: [{ method: 'GET', path: '/livez' }] },
    'and access': {
      ...common,
      requests: [{ method: 'GET', path: similars.replace('/similars/', '/projects/') }],
    },
    // It is refused for a number too many, after the body was read and the project looked up.
    'and a body': {
      ...common,
      expected: 400,
      requests: sought.map((vector) => search([...vector, 0.5])),
    },
    'search by vector': { ...common, requests: sought.map(search) },
  }
}

async function measure(
  { plan, report }: PostgresBench,
  servers: readonly Server[],
  request: string,
  job: Omit<HttpJob, 'url'>,
): Promise<void> {
  const jobs = servers.map(({ url }) => ({ ...job, url }))
  await withLoads(jobs, async (loads) => {
    for (const count of clients) {
      const meters = loads.map((load, index) =>
        metered(load, async () => cpuOf(servers[index]?.pid ?? 0)),
      )
      const [one, two] = await alternate(meters, count, plan)
      if (one === undefined || two === undefined) continue
      const [cpuOfOne, cpuOfTwo] = meters.map((meter) => meter.msPerRequest())
      report.add('workers', {
        ...{ request, clients: count },
        ...{ '/s of one': one.perSecond, '/s of two': two.perSecond },
        'two ÷ one': two.perSecond / one.perSecond,
        ...{ 'p50 ms of one': one.p50, 'p50 ms of two': two.p50 },
        ...{ 'CPU ms of one': cpuOfOne, 'CPU ms of two': cpuOfTwo },
      })
    }
  })
}
