import { note } from '../../test/shared/time.ts'
import { createOwner, type Owner } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { type Sql, withDatabase } from '../database.ts'
import { parentOf } from '../processes.ts'
import { databaseSettings, noIndexes, runCommand, withServer } from '../server.ts'

/** A server of PostgreSQL on this machine. */
export interface Node {
  readonly url: string
  /** Its first process, from which all others descend. */
  readonly pid: number
}

export interface Cluster {
  readonly coordinator: Node
  readonly workers: readonly [Node, Node]
}

/** Where the embeddings lie, and a service of its own on them. */
export interface Shape {
  readonly name: 'plain' | 'one worker' | 'two workers'
  readonly owner: Owner
  readonly sql: Sql
}

export type Shapes = readonly [plain: Shape, one: Shape, two: Shape]

/** The ports of the workers, beside the coordinator; undefined unless there are two. */
export function workerPorts(): readonly [string, string] | undefined {
  const { BENCH_CITUS_WORKERS, TEST_CITUS_WORKERS } = process.env
  const [first, second] = (BENCH_CITUS_WORKERS || TEST_CITUS_WORKERS || '').split(',')
  return first && second ? [first, second] : undefined
}

/** @throws where a server is not on this machine: its CPU could be neither limited nor counted */
export async function clusterOf(
  coordinator: string,
  ports: readonly [string, string],
): Promise<Cluster> {
  const nodeAt = (url: string) =>
    withDatabase(url, async (_, sql): Promise<Node> => {
      const [row] = await sql.unsafe('select pg_backend_pid() as pid')
      const pid = parentOf('postgres', Number(row?.['pid']))
      if (pid === undefined)
        throw new Error(`${new URL(url).host} has no processes on this machine`)
      return { url, pid }
    })
  const workerAt = (port: string) => {
    const url = new URL(coordinator)
    url.port = port
    return nodeAt(url.href)
  }
  const [first, second] = ports
  return {
    coordinator: await nodeAt(coordinator),
    workers: [await workerAt(first), await workerAt(second)],
  }
}

/** Lets `use` have all three at the same time. The plain database is on a worker's server: so it has the same limit. */
export const withShapes = (
  bench: PostgresBench,
  { coordinator, workers }: Cluster,
  use: (shapes: Shapes) => Promise<void>,
): Promise<void> =>
  withDatabase(workers[0].url, (url, sql) =>
    withShape(bench, 'plain', url, sql, (plain) =>
      withDistributed(bench, 'one worker', coordinator, workers.slice(0, 1), (one) =>
        withDistributed(bench, 'two workers', coordinator, workers, (two) =>
          use([plain, one, two]),
        ),
      ),
    ),
  )

const settings = {
  // Not from memory, which would leave the database nothing to do, and exactly in all of them.
  ...noIndexes,
  SERVICE_VECTORMEMORY: '0',
  // All clients are one user, whose uploads would else take turns on three connections, not on eight.
  SERVICE_DBCONNECTIONS: '64',
  SERVICE_SLOWREQUEST: '0',
}

const withShape = (
  { plan }: PostgresBench,
  name: Shape['name'],
  url: string,
  sql: Sql,
  use: (shape: Shape) => Promise<void>,
) =>
  withServer(plan.runtime, { ...databaseSettings(url), ...settings }, async (server) =>
    use({ name, owner: await createOwner(server), sql }),
  )

function withDistributed(
  bench: PostgresBench,
  name: Shape['name'],
  coordinator: Node,
  workers: readonly Node[],
  use: (shape: Shape) => Promise<void>,
): Promise<void> {
  return withDatabase(coordinator.url, async (url, sql) => {
    const { pathname } = new URL(url)
    await sql.unsafe('create extension citus')
    await sql.unsafe(`select citus_set_coordinator_host(${place(coordinator)})`)
    await withWorkers(workers, pathname.slice(1), sql, async () => {
      const printed = await runCommand(
        bench.plan.runtime,
        ['migrate', '--distribute'],
        databaseSettings(url),
      )
      note(`citus: ${name}: ${printed.trim()}`)
      await withShape(bench, name, url, sql, use)
    })
  })
}

/** Databases of this name, which the coordinator knows. */
async function withWorkers(
  [worker, ...rest]: readonly Node[],
  name: string,
  coordinator: Sql,
  use: () => Promise<void>,
): Promise<void> {
  if (worker === undefined) return use()
  await withDatabase(
    worker.url,
    async (_, sql) => {
      await sql.unsafe('create extension citus')
      await coordinator.unsafe(`select citus_add_node(${place(worker)})`)
      await withWorkers(rest, name, coordinator, use)
    },
    name,
  )
}

function place({ url }: Node): string {
  const { hostname, port } = new URL(url)
  return `'${hostname}', ${port || 5432}`
}
