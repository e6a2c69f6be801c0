import { AsyncLocalStorage } from 'node:async_hooks'
import { drizzle } from 'drizzle-orm/pg-proxy'
import type postgres from 'postgres'
import type { Requester } from '../../concurrency/limiter.ts'
import { type Connections, connectionsOf, maxLockingOf } from '../connections.ts'
import type { Database } from '../database.ts'
import { isDistributed } from '../distributed.ts'
import { plansByKey } from '../plans-by-key.ts'
import { withServer } from './connect.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { type PoolLimits, PostgresPool } from './pool.ts'
import { sharedReads } from './shared-reads.ts'
import { postgresSnapshots } from './snapshot.ts'

const limits = {
  short: { queueTimeoutMs: 5_000, statementMs: 15_000 },
  search: {
    queueTimeoutMs: 10_000,
    statementMs: 60_000,
    // No values change the plans either, so each is made once for a connection.
    parameters: { ...plansByKey, plan_cache_mode: 'force_generic_plan' },
  },
  bulk: { queueTimeoutMs: 30_000, statementMs: 120_000 },
  maintenance: { queueTimeoutMs: 60_000, statementMs: 0 },
} satisfies Record<keyof Connections, Omit<PoolLimits, 'connections'>>

interface PostgresOptions {
  readonly connections?: Connections
  /** For tests of what happens when the limits are reached. */
  readonly limits?: Partial<PoolLimits>
}

/**
 * This uses no connection of a pool, because the check of their number would count it as in use.
 */
const tellsDistributed = (sql: postgres.Sql) =>
  isDistributed(drizzle(async (text) => ({ rows: await sql.unsafe(text).values() })))

/**
 * Opens pools of connections to PostgreSQL, so that no short statement waits behind a long one.
 * Waits up to 30 s for a server that does not answer yet.
 * @throws StartupError that names the server and the setting to look at
 */
export async function openPostgres(
  target: ConnectionOptions,
  { connections = connectionsOf(32), limits: changed }: PostgresOptions = {},
): Promise<Database> {
  const distributed = await withServer(target, tellsDistributed)
  const requesters = new AsyncLocalStorage<Requester | undefined>()
  const requester = () => requesters.getStore()
  let history = 0
  let serverStart: string | undefined
  // Each new connection says when its server was started: another one, after a failover, at another time.
  const noteStart = (start: string) => {
    if (start !== (serverStart ?? start)) history += 1
    serverStart = start
  }
  const limitsOf = (name: keyof Connections): PoolLimits => ({
    ...limits[name],
    connections: connections[name],
    noteStart,
    // Every request begins with a look-up of its caller, which must not wait for locks.
    ...(name === 'short' && { maxLocking: maxLockingOf(connections.short) }),
    ...changed,
  })
  const open = (name: keyof Connections) => new PostgresPool(target, limitsOf(name), requester)
  const pools = {
    short: open('short'),
    search: open('search'),
    bulk: open('bulk'),
    maintenance: open('maintenance'),
  }
  return {
    engine: 'postgres',
    isDistributed: distributed,
    history: () => history,
    ...pools,
    remembering: (read) => sharedReads(requester, read),
    copyFiles: undefined,
    snapshot: postgresSnapshots({
      pool: pools.search,
      connections: connections.search,
      currentRequester: requester,
      onBehalfOf: (whom, work) => requesters.run(whom, work),
      distributed,
    }),
    requester,
    onBehalfOf: (whom, work) => requesters.run(whom, work),
    load: () => Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, pool.load])),
    close: async () => {
      await Promise.all(Object.values(pools).map((each) => each.close()))
    },
  }
}
