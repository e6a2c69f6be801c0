import postgres from 'postgres'
import type { ConnectionOptions } from '../../../src/db/postgres/connection-options.ts'
import { distribute } from '../../../src/db/postgres/distribute.ts'
import { openPostgres } from '../../../src/db/postgres/engine.ts'
import { prepareDatabase } from '../../../src/db/prepare.ts'
import { joinNodes } from '../../shared/citus-nodes.ts'

/** Fewer than usual, since each is a file or more of each database. */
const shards = 4

/** The ports of the workers, on 127.0.0.1. */
export const citusWorkers = (process.env['TEST_CITUS_WORKERS'] ?? '')
  .split(',')
  .filter((port) => port !== '')
  .map(Number)

const nodesOf = (coordinator: ConnectionOptions) => [
  coordinator,
  ...citusWorkers.map((port) => ({ ...coordinator, port })),
]

/** On a connection of its own. */
async function run(place: ConnectionOptions, statement: string): Promise<void> {
  const sql = postgres({ ...place, max: 1, onnotice: () => {} })
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}

const onAll = (nodes: readonly ConnectionOptions[], statement: string) =>
  Promise.all(nodes.map((node) => run(node, statement)))

async function dropOnAll(server: ConnectionOptions, name: string): Promise<void> {
  await onAll(nodesOf(server), `drop database if exists "${name}" with (force)`)
}

/** An empty database of each node, which know each other. @returns what drops it */
export async function createCitusDatabase(server: ConnectionOptions, name: string) {
  await onAll(nodesOf(server), `create database "${name}"`)
  const place = { ...server, database: name }
  const workers = citusWorkers.map((port) => ({ ...place, port }))
  await joinNodes(place, workers, run)
  return () => dropOnAll(server, name)
}

/** A database with distributed tables that others are copies of: a tenth of the time. @returns what drops it */
export async function createTemplate(server: ConnectionOptions, name: string) {
  const drop = await createCitusDatabase(server, name)
  const database = await openPostgres({ ...server, database: name })
  await prepareDatabase(database, async () => {})
  await distribute(database, shards)
  await database.close()
  // Citus' own processes too are connected to it.
  for (const node of nodesOf(server)) {
    await run(node, `alter database "${name}" allow_connections false`)
    await run(
      node,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
    )
  }
  return drop
}

/** @returns what drops it */
export async function copyTemplate(server: ConnectionOptions, template: string, name: string) {
  await onAll(nodesOf(server), `create database "${name}" template "${template}"`)
  const database = await openPostgres({ ...server, database: name })
  // Settings of a database are not copied with it.
  await distribute(database, shards)
  await database.close()
  return () => dropOnAll(server, name)
}
