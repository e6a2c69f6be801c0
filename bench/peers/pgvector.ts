import { once } from 'node:events'
import { note } from '../../test/shared/time.ts'
import { indexOf, textIdAt } from '../data.ts'
import { type Sql, settle, withDatabase } from '../database.ts'
import { leastEffort } from '../effort.ts'
import type { SqlJob } from '../jobs.ts'
import { cpuOfConnections } from './connections.ts'
import type { DataSet } from './data-set.ts'
import type { Ask } from './filter.ts'
import type { Filling, Opener } from './peer.ts'
import { type Questions, recallOf } from './recall.ts'

const drainMs = 60_000
const chunkRows = 1_000
const defaultEfSearch = 40

/** A table of nothing but these vectors, as one would write it by hand. */
export const pgvector: Opener = async (bench, use) => {
  const { databaseServer, set, questions } = bench
  if (databaseServer === undefined) return use([])
  await withDatabase(databaseServer, async (database, sql) => {
    const filling = await fill(set, sql)
    const efforts = new Map<string, number>()
    const effortOf = (ask: Ask) => efforts.get(JSON.stringify(ask)) ?? defaultEfSearch
    const tune = async (asked: Questions, ask: Ask) => {
      const recallAt = (efSearch: number) =>
        recallOf(asked, (query) => findBy(set, sql, query, ask, efSearch), ask)
      const { efSearch } = await leastEffort(recallAt)
      note(`  pgvector: ef_search ${efSearch} for ${JSON.stringify(ask)}`)
      efforts.set(JSON.stringify(ask), efSearch)
    }
    for (const ask of [{}, { filter: 'other books' }] as const) await tune(questions, ask)
    const job = (queries: readonly number[], ask: Ask): SqlJob => ({
      kind: 'sql',
      database,
      session: session(ask, effortOf(ask)),
      query: statement(ask),
      parameters: queries.map((query) => parameters(set, query, ask)),
    })
    const name = `pgvector by hand, ef_search ${effortOf({})}`
    const find = (query: number, ask: Ask) => findBy(set, sql, query, ask, effortOf(ask))
    const cpu = () => cpuOfConnections(sql)
    const memory = () => undefined
    await use([{ name, kind: 'bare', filling, job, find, tune, cpu, memory }])
  })
}

async function fill(set: DataSet, sql: Sql): Promise<Filling> {
  await sql.unsafe('create extension if not exists vector')
  await sql.unsafe(
    `create table items (id text primary key, book text not null, "any" int not null, near int not null,
      embedding halfvec(${set.dimensions}) not null)`,
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

function copyLine(set: DataSet, index: number): string {
  const { book, any, near } = set.metadataOf(index)
  return `${[textIdAt(index), book, any, near, set.jsonAt(index)].join('\t')}\n`
}

/** Without an index a scan may take both cores, as by default; with a range, one goes on until ten are found. */
const session = ({ filter, exact }: Ask, efSearch: number) => [
  'set jit = off',
  `set enable_indexscan = ${exact ? 'off' : 'on'}`,
  `set hnsw.iterative_scan = ${typeof filter === 'object' ? 'relaxed_order' : 'off'}`,
  ...(exact ? [] : [`set hnsw.ef_search = ${efSearch}`]),
]

function statement({ filter }: Ask): string {
  const where =
    filter === undefined
      ? ''
      : filter === 'other books'
        ? 'where book <> $2'
        : `where "${filter.field}" ${filter.operator === 'gte' ? '>=' : '<'} $2`
  return `select id, 1 - (embedding <=> $1) as similarity from items ${where}
  order by embedding <=> $1 limit 10`
}

function parameters(set: DataSet, query: number, { filter }: Ask): string[] {
  const vector = set.jsonAt(query)
  if (filter === undefined) return [vector]
  const { book } = set.metadataOf(query)
  return [vector, filter === 'other books' ? book : String(filter.bound)]
}

async function findBy(set: DataSet, sql: Sql, query: number, ask: Ask, efSearch: number) {
  for (const setting of session(ask, efSearch)) await sql.unsafe(setting)
  const values = parameters(set, query, ask)
  const rows: { id: string }[] = await sql.unsafe(statement(ask), values, { prepare: true })
  return { found: rows.map(({ id }) => indexOf(id)) }
}
