import { AsyncLocalStorage } from 'node:async_hooks'
import { drizzle } from 'drizzle-orm/pg-proxy'
import type postgres from 'postgres'
import type { Requester } from '../../concurrency/limiter.ts'
import type { Log } from '../../log.ts'
import { type Connections, maxLockingOf, usualConnections } from '../connections.ts'
import type { Database } from '../database.ts'
import { isDistributed } from '../distributed.ts'
import { withServer } from './connect.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { History } from './history.ts'
import { type PoolLimits, PostgresPool } from './pool.ts'
import { type Reading, Replica } from './replica.ts'
import { Replicas, withReplicas } from './replicas.ts'
import { plansByKey } from './run-time-parameters.ts'
import { postgresSnapshots } from './snapshot.ts'

const limits = {
  short: { queueTimeoutMs: 5_000, statementMs: 15_000 },
  search: {
    queueTimeoutMs: 10_000,
    statementMs: 60_000,
    // No values change the plans either: planned once a connection.
    parameters: { ...plansByKey, plan_cache_mode: 'force_generic_plan' },
  },
  bulk: { queueTimeoutMs: 30_000, statementMs: 120_000 },
  maintenance: { queueTimeoutMs: 60_000, statementMs: 0 },
} satisfies Record<keyof Connections, Omit<PoolLimits, 'connections'>>

const noReplicas =
  'SERVICE_DBREPLICAS is not used: embeddings are distributed, and read from the workers'

interface PostgresOptions {
  readonly connections?: Connections
  /** For tests of what happens when they are reached. */
  readonly limits?: Partial<PoolLimits>
  /** Streaming replicas of this server. */
  readonly replicas?: readonly ConnectionOptions[]
  readonly log?: Log
}

/** Not on a connection of a pool, which the check of their number would not find free. */
const tellsDistributed = (sql: postgres.Sql) =>
  isDistributed(drizzle(async (text) => ({ rows: await sql.unsafe(text).values() })))

/** What is done by and for a request. */
interface Task {
  readonly requester?: Requester | undefined
  readonly reading?: Reading | undefined
}

/**
 * Pools of connections to PostgreSQL, so that no short statement waits behind a long one.
 * Waits up to 30 s for a server that does not answer yet.
 * @throws StartupError naming the server and the setting to look at
 */
export async function openPostgres(
  target: ConnectionOptions,
  {
    connections = usualConnections,
    limits: changed,
    replicas: targets = [],
    log,
  }: PostgresOptions = {},
): Promise<Database> {
  const distributed = await withServer(target, tellsDistributed)
  const tasks = new AsyncLocalStorage<Task>()
  const requester = () => tasks.getStore()?.requester
  const history = new History()
  const limitsOf = (name: keyof Connections): PoolLimits => ({
    ...{ ...limits[name], connections: connections[name] },
    // Every request begins with finding out who asks: that must not wait behind whoever waits for a lock.
    ...(name === 'short' && {
      maxLocking: maxLockingOf(connections.short),
      admission: history,
    }),
    ...changed,
  })
  const open = (name: keyof Connections) => new PostgresPool(target, limitsOf(name), requester)
  const pools = {
    short: open('short'),
    search: open('search'),
    bulk: open('bulk'),
    maintenance: open('maintenance'),
  }
  // A coordinator's would find on the workers what it has not replayed itself.
  if (distributed && targets.length > 0) log?.warn(noReplicas)
  const used = distributed ? [] : targets
  const all = used.map((each) => new Replica(each, limitsOf('search'), requester, log))
  const replicas = new Replicas(all, pools.short, history, log)
  const reading = () => tasks.getStore()?.reading
  const search = all.length === 0 ? pools.search : withReplicas(pools.search, reading)
  return {
    engine: 'postgres',
    isDistributed: distributed,
    history: () => history.number,
    ...pools,
    search,
    remembering: (read) => read,
    copyFiles: undefined,
    snapshot: postgresSnapshots({
      ...{ primary: pools.search, connections: connections.search, distributed },
      ...{ currentRequester: requester, currentReading: reading },
      onBehalfOf: (whom, work) => tasks.run({ ...tasks.getStore(), requester: whom }, work),
    }),
    requester,
    onBehalfOf: (whom, work) => tasks.run({ requester: whom }, work),
    readAt: (collection, work) =>
      tasks.run({ requester: requester(), reading: replicas.readingOf(collection) }, work),
    replicas: () => replicas.states,
    load: () =>
      Object.fromEntries([
        ...Object.entries(pools).map(([name, pool]) => [name, pool.load]),
        ...replicas.loads,
      ]),
    close: async () => {
      await Promise.all([replicas, ...Object.values(pools)].map((each) => each.close()))
    },
  }
}
