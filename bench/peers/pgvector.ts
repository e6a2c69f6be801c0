import { once } from 'node:events'
import { note } from '../../test/shared/time.ts'
import { indexOf, textIdAt } from '../data.ts'
import { type Sql, settle, withDatabase } from '../database.ts'
import { type Effort, leastEffort } from '../effort.ts'
import type { SqlJob } from '../jobs.ts'
import { cpuOfConnections } from './connections.ts'
import type { DataSet } from './data-set.ts'
import type { Filling, Opener, PeersBench } from './peer.ts'
import { recallOf } from './recall.ts'

const drainMs = 60_000
const chunkRows = 1_000

/** A table of nothing but these vectors, as one would write it by hand. */
export const pgvector: Opener = async (bench, use) => {
  const { databaseServer, set } = bench
  if (databaseServer === undefined) return use([])
  await withDatabase(databaseServer, async (database, sql) => {
    const filling = await fill(set, sql)
    const [plain, filtered] = [await tune(bench, sql, false), await tune(bench, sql, true)]
    note(`  pgvector: ef_search ${plain.efSearch}, filtered ${filtered.efSearch}`)
    const jobAt = (isFiltered: boolean): SqlJob => ({
      kind: 'sql',
      database,
      session: session(isFiltered ? filtered : plain),
      query: statement(isFiltered),
      parameters: set.queries.map((query) => parameters(set, query, isFiltered)),
    })
    const name = `pgvector by hand, ef_search ${plain.efSearch}`
    const find = async (query: number, isFiltered: boolean) => {
      await prepare(sql, isFiltered ? filtered : plain)
      return findBy(set, sql, query, isFiltered)
    }
    const cpu = () => cpuOfConnections(sql)
    const memory = () => undefined
    await use([{ name, kind: 'bare', filling, job: jobAt, find, cpu, memory }])
  })
}

async function fill(set: DataSet, sql: Sql): Promise<Filling> {
  await sql.unsafe('create extension if not exists vector')
  await sql.unsafe(
    `create table items (id text primary key, book text not null, embedding halfvec(${set.dimensions}) not null)`,
  )
  const start = performance.now()
  const stream = await sql.unsafe('copy items from stdin').writable()
  for (let first = 0; first < set.vectors; first += chunkRows) {
    const rows = Array.from({ length: Math.min(chunkRows, set.vectors - first) }, (_, at) =>
      copyLine(set, first + at),
    )
    if (!stream.write(rows.join(''))) {
      await once(stream, 'drain', { signal: AbortSignal.timeout(drainMs) })
    }
  }
  stream.end()
  await once(stream, 'finish', { signal: AbortSignal.timeout(drainMs) })
  const copied = performance.now()
  await sql.unsafe(`set maintenance_work_mem = '1GB'`)
  await sql.unsafe('create index on items using hnsw (embedding halfvec_cosine_ops)')
  const readySeconds = (performance.now() - copied) / 1_000
  await settle(sql, 'items')
  const perSecond = (set.vectors * 1_000) / (copied - start)
  return { perSecond, readySeconds, emptyMemory: undefined }
}

const copyLine = (set: DataSet, index: number) =>
  `${textIdAt(index)}\t${set.bookOf(index)}\t${set.jsonAt(index)}\n`

const session = ({ efSearch }: Pick<Effort, 'efSearch'>) => [
  'set jit = off',
  `set hnsw.ef_search = ${efSearch}`,
]

const statement = (filtered: boolean) =>
  `select id, 1 - (embedding <=> $1) as similarity from items ${filtered ? 'where book <> $2' : ''}
  order by embedding <=> $1 limit 10`

const parameters = (set: DataSet, query: number, filtered: boolean): string[] =>
  filtered ? [set.jsonAt(query), set.bookOf(query)] : [set.jsonAt(query)]

async function prepare(sql: Sql, effort: Pick<Effort, 'efSearch'>): Promise<void> {
  for (const setting of session(effort)) await sql.unsafe(setting)
}

const tune = (bench: PeersBench, sql: Sql, filtered: boolean): Promise<Effort> =>
  leastEffort(async (efSearch) => {
    await prepare(sql, { efSearch })
    return recallOf(bench, (query) => findBy(bench.set, sql, query, filtered), filtered)
  })

async function findBy(set: DataSet, sql: Sql, query: number, filtered: boolean) {
  const values = parameters(set, query, filtered)
  const rows: { id: string }[] = await sql.unsafe(statement(filtered), values, { prepare: true })
  return rows.map(({ id }) => indexOf(id))
}
