import { percentile } from '../../test/shared/percentiles.ts'
import { note } from '../../test/shared/time.ts'
import { createOwner, type Owner, type Project, uploadBody, upTo } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { copyEnd, copyHead, copyRow, copyTarget } from '../copy-format.ts'
import { createGenerator } from '../data.ts'
import { collectionOf, type Sql, withDatabase } from '../database.ts'
import { type CopyJob, freshPrefix, type HttpJob } from '../jobs.ts'
import { alternate, type Load, withLoad } from '../load.ts'
import { judge } from '../report.ts'
import { databaseSettings, noIndexes, withServer } from '../server.ts'
import { measureForms } from './ingest-forms.ts'

const batch = 1_000
const textIdOf = (index: number) => `${freshPrefix}-${String(index).padStart(4, '0')}`

/** Uploads beside COPY of the same rows, while another process asks for something small. */
export async function ingest(bench: PostgresBench): Promise<void> {
  const { runtime } = bench.plan
  for (const dimensions of bench.plan.ingest.dimensions) {
    for (const clients of bench.plan.ingest.clients) {
      note(`ingest: ${dimensions} dimensions, clients: ${clients}`)
      await withDatabase(bench.databaseServer, (database, sql) =>
        withServer(runtime, { ...databaseSettings(database), ...noIndexes }, async (server) => {
          const owner = await createOwner(server)
          const row = await measure(bench, owner, { url: database, sql }, dimensions, clients)
          bench.report.add('ingest', { ...row, 'peak RSS MB': server.memory().peak })
          await measureForms(bench, owner, dimensions, clients)
        }),
      )
    }
  }
}

interface Place {
  readonly url: string
  readonly sql: Sql
}

async function measure(
  { plan }: PostgresBench,
  owner: Owner,
  database: Place,
  dimensions: number,
  clients: number,
) {
  const uploads = uploading(owner, await owner.createProject('uploaded', dimensions))
  const copies = await copying(database, await owner.createProject('copied', dimensions))
  const delays: number[] = []
  const [ours, theirs] = await withLoad(uploads, (http) =>
    withLoad(copies, (bare) =>
      withLoad(asking(owner), (small) => {
        const both = withProbe(http, small, delays)
        return alternate([both, bare], clients, { ...plan, roundMs: plan.ingest.roundMs })
      }),
    ),
  )
  const rate = (ours?.perSecond ?? 0) * batch
  const bareRate = (theirs?.perSecond ?? 0) * batch
  const ratio = { name: '÷ COPY', value: rate / bareRate, atLeast: 0.5 }
  return {
    dimensions,
    clients,
    'vectors/s': rate,
    'batch p50 ms': ours?.p50,
    'COPY vectors/s': bareRate,
    '÷ COPY': ratio.value,
    'GET meanwhile p50 ms': percentile(delays, 0.5),
    'GET p99 ms': percentile(delays, 0.99),
    target:
      dimensions === 1536 && clients === 4
        ? judge(ratio, { name: 'vectors/s', value: rate, atLeast: 4_000 })
        : '',
  }
}

function uploading({ server, key }: Owner, project: Project): HttpJob {
  const body = uploadBody(project, createGenerator(project.dimensions), upTo(batch), textIdOf)
  const request = { method: 'POST' as const, path: project.embeddings, body: Buffer.from(body) }
  return { kind: 'http', url: server.url, key, expected: 201, requests: [request] }
}

async function copying({ url, sql }: Place, project: Project): Promise<CopyJob> {
  const { projectId, dimensions } = project
  const collectionId = await collectionOf(sql, projectId)
  const { vectorAt } = createGenerator(dimensions)
  const rows = upTo(batch).map((at) => copyRow(collectionId, at, vectorAt(at), textIdOf(at)))
  const body = Buffer.concat([copyHead, ...rows, copyEnd])
  return { kind: 'copy', database: url, statement: copyTarget, body }
}

const asking = ({ server, key }: Owner): HttpJob => ({
  kind: 'http',
  url: server.url,
  key,
  expected: 200,
  pauseMs: 5,
  requests: [{ method: 'GET', path: '/v1/api-standards' }],
})

/** Whenever `load` runs, `small` does too, and its latencies are collected. */
const withProbe = (load: Load, small: Load, latencies: number[]): Load => ({
  async run(clients, ms) {
    const [sample, probe] = await Promise.all([load.run(clients, ms), small.run(1, ms)])
    latencies.push(...probe.latencies)
    return sample
  },
})
