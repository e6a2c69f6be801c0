import { note } from '../../test/shared/time.ts'
import { createOwner, type Owner, type Project, uploadBody, upTo } from '../api.ts'
import type { Bench } from '../bench.ts'
import { createGenerator, textIdAt } from '../data.ts'
import { withDatabase } from '../database.ts'
import { alternate, withLoad } from '../load.ts'
import { judge } from '../report.ts'
import {
  databaseSettings,
  type Runtime,
  runtimesFor,
  type Server,
  withFolder,
  withServerIn,
} from '../server.ts'
import { searchesById } from './besides.ts'

const vectors = 10_000
const dimensions = 1536
const batch = 1_000

/** How long a start takes, and how fast the embedded database searches. */
export async function start(bench: Bench, databaseServer: string | undefined): Promise<void> {
  note('start')
  for (const runtime of runtimesFor(bench.plan.runtime)) {
    await startTwice(bench, runtime, 'embedded', {})
    if (databaseServer === undefined) continue
    await withDatabase(databaseServer, (database) =>
      startTwice(bench, runtime, 'PostgreSQL', databaseSettings(database)),
    )
  }
  note(`embedded: ${vectors} × ${dimensions}`)
  await withFolder((folder) =>
    withServerIn(folder, bench.plan.runtime, {}, (server) => searchEmbedded(bench, server)),
  )
}

async function startTwice(
  { report }: Bench,
  runtime: Runtime,
  database: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const look = async (server: Server) => ({ ms: server.startedIn, rss: server.memory().now })
  await withFolder(async (folder) => {
    const first = await withServerIn(folder, runtime, settings, look)
    const second = await withServerIn(folder, runtime, settings, look)
    report.add('start', {
      runtime: runtime.name,
      database,
      'first start ms': first.ms,
      'second start ms': second.ms,
      'first RSS MB': first.rss,
      'second RSS MB': second.rss,
    })
  })
}

async function searchEmbedded({ plan, report }: Bench, server: Server): Promise<void> {
  const owner = await createOwner(server)
  const project = await owner.createProject('searched', dimensions)
  const uploadMs = await fill(owner, project)
  const stored = Array.from({ length: 50 }, (_, at) => (at * vectors) / 50)
  for (const parameter of ['', 'exact=true']) {
    const job = searchesById({ owner, project, stored }, `?threshold=0&${parameter}`)
    const [first = ''] = job.requests.map(({ path }) => path)
    const { mode } = await owner.search(first)
    const [figures] = await withLoad(job, (http) => alternate([http], 1, plan))
    if (figures === undefined) continue
    report.add('embedded', {
      project: `${vectors} × ${dimensions}`,
      search: `by id${parameter && `, ${parameter}`}`,
      mode,
      clients: 1,
      'p50 ms': figures.p50,
      'p95 ms': figures.p95,
      'upload vectors/s': (vectors * 1000) / uploadMs,
      target: judge({ name: 'p50 ms', value: figures.p50, atMost: 50 }),
    })
    if (mode === 'exact') break
  }
}

/** The same thousand vectors again and again: to a search they cost what others do. */
async function fill(owner: Owner, project: Project): Promise<number> {
  const textIdOf = (at: number) => textIdAt(at).replace('t0000', 't####')
  const body = uploadBody(project, createGenerator(dimensions), upTo(batch), textIdOf)
  let ms = 0
  for (let count = 0; count < vectors / batch; count += 1) {
    const own = body.replaceAll('t####', `t${String(count).padStart(4, '0')}`)
    const start = performance.now()
    await owner.upload(project, own)
    ms += performance.now() - start
  }
  return ms
}
