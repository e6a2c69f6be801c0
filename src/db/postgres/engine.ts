import { AsyncLocalStorage } from 'node:async_hooks'
import type { Requester } from '../../concurrency/limiter.ts'
import type { Database } from '../database.ts'
import { waitForServer } from './connect.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { type Connections, maxLockingOf, usualConnections } from './connections.ts'
import { type PoolLimits, PostgresPool } from './pool.ts'
import { postgresSnapshots } from './snapshot.ts'

const limits = {
  short: { queueTimeoutMs: 5_000, statementMs: 15_000 },
  search: {
    queueTimeoutMs: 10_000,
    statementMs: 60_000,
    // Plans that no statistics may change, since those know nothing of a project that is new. Scans of
    // the table would read the rows of all projects; a sort is disabled where an index has the order
    // already, and the only plan elsewhere. No values change them either: planned once a connection.
    parameters: {
      enable_seqscan: 'off',
      enable_bitmapscan: 'off',
      enable_sort: 'off',
      plan_cache_mode: 'force_generic_plan',
    },
  },
  bulk: { queueTimeoutMs: 30_000, statementMs: 120_000 },
  maintenance: { queueTimeoutMs: 60_000, statementMs: 0 },
} satisfies Record<keyof Connections, Omit<PoolLimits, 'connections'>>

/**
 * Pools of connections to PostgreSQL, so that no short statement waits behind a long one.
 * Waits up to 30 s for a server that does not answer yet.
 * @param changed limits for tests of what happens when they are reached
 * @throws StartupError naming the server and the setting to look at
 */
export async function openPostgres(
  target: ConnectionOptions,
  connections: Connections = usualConnections,
  changed: Partial<PoolLimits> = {},
): Promise<Database> {
  await waitForServer(target)
  const requesters = new AsyncLocalStorage<Requester>()
  const requester = () => requesters.getStore()
  const open = (name: keyof Connections, more: Partial<PoolLimits> = {}) =>
    new PostgresPool(
      target,
      { ...limits[name], connections: connections[name], ...more, ...changed },
      requester,
    )
  const pools = {
    // Every request begins with finding out who asks: that must not wait behind whoever waits for a lock.
    short: open('short', { maxLocking: maxLockingOf(connections.short) }),
    search: open('search'),
    bulk: open('bulk'),
    maintenance: open('maintenance'),
  }
  const all = Object.entries(pools)
  return {
    engine: 'postgres',
    ...pools,
    remembering: (read) => read,
    copyFiles: undefined,
    snapshot: postgresSnapshots(pools.search, connections.search, requester),
    requester,
    onBehalfOf: (whom, work) => requesters.run(whom, work),
    load: () => Object.fromEntries(all.map(([name, pool]) => [name, pool.load])),
    close: async () => {
      await Promise.all(all.map(([, pool]) => pool.close()))
    },
  }
}
