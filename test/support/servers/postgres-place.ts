import { inject } from 'vitest'
import type { ConnectionOptions } from '../../../src/db/postgres/connection-options.ts'

/** Where a postgres:// URL points to. */
export function placeOf(href: string): ConnectionOptions {
  const url = new URL(href)
  return {
    host: url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
    tls: { mode: 'prefer' },
  }
}

/** Where the database of this worker is on PostgreSQL; undefined on the embedded engine. */
export const postgresOfRun = () =>
  inject('engine') === 'embedded'
    ? undefined
    : placeOf(`${inject('databaseUrl')}_${process.env['VITEST_POOL_ID']}`)

/** Whether searches find by indexes: on Citus none are built. */
export const hasSearchIndexes = () => inject('engine') === 'postgres'

/** Whether that is the coordinator of a Citus cluster, with embeddings on its workers. */
export const isOnCitus = () => inject('engine') === 'citus'
