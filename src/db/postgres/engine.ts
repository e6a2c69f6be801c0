import type { Database } from '../database.ts'
import { type PostgresSettings, waitForServer } from './connection.ts'
import { Pool, type PoolSize } from './pool.ts'

const access: PoolSize = { connections: 4, patienceMs: 5_000, statementMs: 5_000 }

const short: PoolSize = { connections: 6, patienceMs: 5_000, statementMs: 15_000 }

/**
 * Sequential scans would read the rows of all projects where those of one are asked for, and
 * compiling a plan (jit) takes longer than the scans that it is meant to speed up.
 */
const search: PoolSize = {
  connections: 16,
  patienceMs: 10_000,
  statementMs: 60_000,
  session: { enable_seqscan: 'off', jit: 'off' },
}

/** What moves many rows. */
const bulk: PoolSize = { connections: 4, patienceMs: 30_000, statementMs: 120_000 }

/** Builds of indexes and migrations: one after another, for as long as they take. */
const maintenance: PoolSize = { connections: 1, patienceMs: 60_000, statementMs: 0 }

const usualSizes = { access, short, search, bulk, maintenance }

/**
 * Pools of connections to PostgreSQL, so that no short statement waits behind a long one.
 * Waits up to 30 s for a server that does not answer yet.
 * @throws StartupError naming the server and the setting to look at
 */
export async function openPostgres(
  settings: PostgresSettings,
  sizes: Readonly<Record<keyof typeof usualSizes, PoolSize>> = usualSizes,
): Promise<Database> {
  await waitForServer(settings)
  const pools = {
    access: new Pool(settings, sizes.access),
    short: new Pool(settings, sizes.short),
    search: new Pool(settings, sizes.search),
    bulk: new Pool(settings, sizes.bulk),
    maintenance: new Pool(settings, sizes.maintenance),
  }
  const all = Object.entries(pools)
  return {
    engine: 'postgres',
    ...pools,
    load: () => Object.fromEntries(all.map(([name, pool]) => [name, pool.load])),
    close: async () => {
      await Promise.all(all.map(([, pool]) => pool.close()))
    },
  }
}
