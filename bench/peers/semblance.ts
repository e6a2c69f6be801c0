import { z } from 'zod'
import { note } from '../../test/shared/time.ts'
import { createOwner, type Project } from '../api.ts'
import { indexOf, textIdAt } from '../data.ts'
import { type Sql, settle, withDatabase } from '../database.ts'
import { settledMode } from '../parts/index-wait.ts'
import { type CpuTimes, cpuOf, residentMemoryOf } from '../processes.ts'
import { databaseSettings, type Runtime, type Server, withFolder, withServerIn } from '../server.ts'
import { cpuOfConnections } from './connections.ts'
import type { DataSet } from './data-set.ts'
import type { Ask, Metadata } from './filter.ts'
import { findBy, type Protocol, searchesOf, uploadAll } from './http-server.ts'
import type { Filling, Opener, Peer } from './peer.ts'
import { quiet } from './quiet.ts'
import { reportRestart } from './restart.ts'

/** What Server-Timing names beside the way a search went. */
const otherTimings = ['access', 'body', 'total']

const Found = z.object({ results: z.array(z.object({ id: z.string() })) })

/** The default: nothing but the program. */
export const embedded =
  (runtime: Runtime): Opener =>
  (bench, use) =>
    withFolder(async (folder) => {
      const name = `Semblance, embedded, ${runtime.name}`
      const protocolAt = protocols(bench.set)
      // The first start makes the database, and keeps memory that no later one takes.
      await withServerIn(folder, runtime, {}, async () => {})
      const { emptyMemory, login } = await withServerIn(folder, runtime, {}, async (server) => {
        const login = await signUp(server, bench.set)
        const protocol = protocolAt(server, login)
        const cpu = async () => cpuOf(server.pid)
        const filling = await fill(bench.set, protocol, server, cpu)
        await use([{ ...peerOf(protocol, server, filling), name, kind: 'embedded', cpu }])
        return { emptyMemory: filling.emptyMemory, login }
      })
      await withServerIn(folder, runtime, {}, async (server) => {
        const protocol = protocolAt(server, login)
        const memory = () => residentMemoryOf(server.pid)
        const { listeningAt } = server
        const kind = 'embedded'
        await reportRestart(bench, { name, kind, protocol, listeningAt, memory, emptyMemory })
      })
    })

export const onPostgres =
  (runtime: Runtime): Opener =>
  async (bench, use) => {
    const { databaseServer, set } = bench
    if (databaseServer === undefined) return use([])
    await withDatabase(databaseServer, (database, sql) =>
      withFolder((folder) =>
        withServerIn(folder, runtime, databaseSettings(database), async (server) => {
          const protocol = protocols(set)(server, await signUp(server, set))
          const cpu = () => cpuWithDatabase(server, sql)
          const filling = await fill(set, protocol, server, cpu, sql)
          await settle(sql)
          const name = `Semblance, PostgreSQL, ${runtime.name}`
          await use([{ ...peerOf(protocol, server, filling), name, kind: 'postgres', cpu }])
        }),
      ),
    )
  }

interface Login {
  readonly key: string
  readonly project: Project
}

async function signUp(server: Server, { dimensions }: DataSet): Promise<Login> {
  const { key, createProject } = await createOwner(server)
  return { key, project: await createProject('compared', dimensions) }
}

const protocols =
  (set: DataSet) =>
  ({ url }: Server, { key, project }: Login): Protocol => ({
    url,
    key,
    stored: 201,
    upload: (indexes) => ({
      method: 'POST',
      path: project.embeddings,
      body: Buffer.from(uploadBody(project, set, indexes)),
    }),
    search: (query, ask) => ({
      method: 'POST',
      path: `${project.similars}?threshold=0${parametersOf(ask, set.metadataOf(query))}`,
      body: Buffer.from(`{"vector":${set.jsonAt(query)}}`),
    }),
    foundIn: (answer) => Found.parse(answer).results.map(({ id }) => indexOf(id)),
  })

function parametersOf({ filter, exact }: Ask, { book }: Metadata): string {
  const last = exact ? '&exact=true' : ''
  if (filter === undefined) return last
  if (filter === 'other books') return `&metadata_path=book&metadata_value=${book}${last}`
  const { field, operator, bound } = filter
  const written = JSON.stringify({ [field]: { [`$${operator}`]: bound } })
  return `&filter=${encodeURIComponent(written)}${last}`
}

function uploadBody({ handle }: Project, set: DataSet, indexes: readonly number[]): string {
  const items = indexes.map(
    (index) =>
      `{"text_id":"${textIdAt(index)}","instance_handle":"${handle}","vector_dim":${set.dimensions},` +
      `"metadata":${JSON.stringify(set.metadataOf(index))},"vector":${set.jsonAt(index)}}`,
  )
  return `{"embeddings":[${items.join(',')}]}`
}

/** Uploads everything, and waits for what is built of it. */
async function fill(
  set: DataSet,
  protocol: Protocol,
  { pid }: Server,
  cpu: Peer['cpu'],
  database?: Sql,
): Promise<Filling> {
  const emptyMemory = residentMemoryOf(pid)
  const perSecond = await uploadAll(set, protocol)
  const search = async () => {
    const { headers } = await findBy(protocol, set.vectors, {})
    const approximate = headers.get('x-search-mode') === 'approximate'
    return { mode: approximate ? ('approximate' as const) : ('exact' as const) }
  }
  const start = performance.now()
  if (database !== undefined) await settledMode(set.vectors * set.dimensions, database, search)
  const indexed = (performance.now() - start) / 1_000
  const readySeconds = tenths(indexed + (await quiet(cpu, search)))
  note(`  ready after ${readySeconds} s, searches are ${(await search()).mode}`)
  return { perSecond, readySeconds, emptyMemory }
}

const tenths = (value: number) => Math.round(value * 10) / 10

const peerOf = (
  protocol: Protocol,
  { pid }: Server,
  filling: Filling,
): Omit<Peer, 'name' | 'kind' | 'cpu'> => ({
  filling,
  job: (queries, ask) => searchesOf(protocol, queries, ask),
  async find(query, ask) {
    const { found, headers } = await findBy(protocol, query, ask)
    const timings = (headers.get('server-timing') ?? '').split(',')
    const names = timings.map((timing) => timing.trim().split(';')[0] ?? '')
    return { found, strategy: names.find((name) => !otherTimings.includes(name)) }
  },
  memory: () => residentMemoryOf(pid),
})

async function cpuWithDatabase(server: Server, sql: Sql): Promise<CpuTimes | undefined> {
  const own = cpuOf(server.pid)
  const connections = await cpuOfConnections(sql)
  return own && connections && new Map([...own, ...connections])
}
