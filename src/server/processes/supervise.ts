import { availableParallelism } from 'node:os'
import type { Config } from '../../config/config.ts'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { announce } from '../announce.ts'
import { embeddingHostsOf } from '../app-settings.ts'
import { askedToStop } from '../asked-to-stop.ts'
import { checkConnections, checkFree, openStore } from '../startup.ts'
import { Supervisor } from './supervisor.ts'

/** PostgreSQL's default: 100 connections, of which 3 are kept for superusers. */
const usualConnections = 97

/**
 * How many processes serve. `auto` means one for each core, but no more than PostgreSQL's default
 * number of connections allows.
 * @throws StartupError
 */
export function workersOf(
  { workers, database, dbConnections }: Pick<Config, 'workers' | 'database' | 'dbConnections'>,
  cores = availableParallelism(),
): number {
  if (database === 'postgres') {
    const enoughFor = Math.floor(usualConnections / dbConnections)
    return workers === 'auto' ? Math.max(1, Math.min(cores, enoughFor)) : workers
  }
  if (workers === 'auto' || workers === 1) return 1
  throw new StartupError(
    'SERVICE_WORKERS (--workers) must be 1 with the embedded database, which one process alone can open; for more name a PostgreSQL with SERVICE_DATABASE_URL or SERVICE_DBHOST',
  )
}

/**
 * Runs this many serving processes on one port until SIGTERM or SIGINT. This process checks
 * everything that can be wrong and brings the database up to date, but serves nothing itself.
 * @throws StartupError
 */
export async function superviseUntilStopped(
  config: Config,
  log: Log,
  workers: number,
): Promise<void> {
  refusePlatform()
  embeddingHostsOf(config)
  const asked = askedToStop(log)
  const prepared = await Promise.race([prepare(config, log, workers), asked])
  if (prepared === undefined) return
  const supervisor = new Supervisor({ ...config, port: prepared.port }, workers, log)
  try {
    const url = await Promise.race([supervisor.start(), asked])
    if (url !== undefined) {
      const { dbConnections, vectorMemory } = config
      const each = `${workers} × ${dbConnections} connections to PostgreSQL and ${workers} × ${vectorMemory} MB of vectors`
      log.info(`${workers} worker processes serve, with up to ${each}`)
      announce(log, url, config, prepared)
    }
    await asked
  } finally {
    await supervisor.stop()
  }
}

/** @returns the port, even if any free one was asked for, and the files of generated keys */
async function prepare(config: Config, log: Log, workers: number) {
  const port = await checkFree(config)
  const store = await openStore(config, log, () => checkConnections(config, log, workers))
  await store.database.close()
  const { adminKeyFile, encryptionKeyFile } = store
  return { port, adminKeyFile, encryptionKeyFile }
}

/**
 * On other systems, one of Bun's processes gets all connections, or only the first gets the port.
 */
function refusePlatform(): void {
  if (globalThis.Bun === undefined || process.platform === 'linux') return
  throw new StartupError(
    `SERVICE_WORKERS (--workers) must be 1 with Bun on ${process.platform}: processes share a port with Bun on Linux alone; run it with Node for more`,
  )
}
