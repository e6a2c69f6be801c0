import type { Database } from '../database.ts'
import { type PostgresSettings, waitForServer } from './connection.ts'
import { Pool } from './pool.ts'

/** Statements that answer at once, or nearly so. */
const metadataPool = { connections: 6, patienceMs: 5_000, statementMs: 30_000 }

/**
 * Sequential scans would read the rows of all projects where those of one are asked for, and
 * compiling a plan (jit) takes longer than the scans that it is meant to speed up.
 */
const searchPool = {
  connections: 16,
  patienceMs: 10_000,
  statementMs: 60_000,
  session: { enable_seqscan: 'off', jit: 'off' },
}

/** What moves many rows. */
const bulkPool = { connections: 4, patienceMs: 30_000, statementMs: 120_000 }

/** Builds of indexes: one after another, for as long as they take. */
const maintenancePool = { connections: 1, patienceMs: 60_000, statementMs: 0 }

/**
 * Pools of connections to PostgreSQL, so that no short statement waits behind a long one.
 * Waits up to 30 s for a server that does not answer yet.
 * @throws StartupError naming the server and the setting to look at
 */
export async function openPostgres(settings: PostgresSettings): Promise<Database> {
  await waitForServer(settings)
  const metadata = new Pool(settings, metadataPool)
  const search = new Pool(settings, searchPool)
  const bulk = new Pool(settings, bulkPool)
  const maintenance = new Pool(settings, maintenancePool)
  return {
    engine: 'postgres',
    db: metadata.db,
    search: search.db,
    maintenance: maintenance.db,
    transaction: (work) => metadata.transaction(work),
    bulk: (work) => bulk.transaction(work),
    load: () => ({
      metadata: metadata.load,
      search: search.load,
      bulk: bulk.load,
      maintenance: maintenance.load,
    }),
    close: async () => {
      await Promise.all([metadata, search, bulk, maintenance].map((pool) => pool.close()))
    },
  }
}
