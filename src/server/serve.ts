import { availableParallelism } from 'node:os'
import type { Config } from '../config/config.ts'
import { StartupError } from '../errors.ts'
import type { Log } from '../log.ts'
import { embeddingHostsOf, vectorMemoryOf } from './app-settings.ts'
import { askedToStop } from './asked-to-stop.ts'
import { Supervisor } from './processes/supervisor.ts'
import { allowedBy, checkConnections, checkFree, openStore, type Store } from './startup.ts'

/** Starts the service and serves until SIGTERM or SIGINT. @throws StartupError */
export async function serveUntilStopped(config: Config, log: Log): Promise<void> {
  const asked = askedToStop(log)
  const count = workersOf(config, () => allowedBy(config, log))
  const workers = await Promise.race([count, asked])
  if (workers === undefined) return
  if (workers > 1) return supervise(config, log, workers, asked)
  // Loaded here because a process that only supervises does not need it.
  const { runServer } = await import('./run-server.ts')
  await runServer(config, log, {
    open: async () => {
      await checkFree(config)
      return openStore(config, log, () => checkConnections(config))
    },
    asked,
    sharesPort: false,
    listening: (url, store) => announce(log, url, config, store),
  })
}

/**
 * How many processes serve. `auto` means one for each core, but no more than PostgreSQL has
 * connections for.
 * @param allowed says how many connections it allows
 * @throws StartupError
 */
export async function workersOf(
  { workers, database, dbConnections }: Pick<Config, 'workers' | 'database' | 'dbConnections'>,
  allowed: () => Promise<number>,
  cores = availableParallelism(),
): Promise<number> {
  if (database === 'postgres') {
    if (workers !== 'auto') return workers
    const enoughFor = cores === 1 ? 1 : Math.floor((await allowed()) / dbConnections)
    return Math.max(1, Math.min(cores, enoughFor))
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
async function supervise(config: Config, log: Log, workers: number, asked: Promise<undefined>) {
  refusePlatform()
  embeddingHostsOf(config)
  const port = await Promise.race([prepare(config, log, workers), asked])
  if (port === undefined) return
  const supervisor = new Supervisor({ ...config, port }, workers, log)
  try {
    const url = await Promise.race([supervisor.start(), asked])
    if (url !== undefined) {
      const each = `${workers} × ${config.dbConnections} connections to PostgreSQL and ${workers} × ${vectorMemoryOf(config)} MB of vectors`
      log.info(`${workers} worker processes serve, with up to ${each}`)
      announce(log, url, config)
    }
    await asked
  } finally {
    await supervisor.stop()
  }
}

/** @returns the port; a free one if any will do */
async function prepare(config: Config, log: Log, workers: number) {
  const port = await checkFree(config)
  const { database } = await openStore(config, log, () => checkConnections(config, workers))
  await database.close()
  return port
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

/**
 * Quotes text for a shell: a path may hold anything, and some shells take the brackets of an IPv6
 * address for a pattern.
 */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Logs where the service listens, which files keep generated keys, and a request to try. */
function announce(
  log: Log,
  url: string,
  { database }: Pick<Config, 'database'>,
  { adminKeyFile, encryptionKeyFile }: Partial<Store> = {},
): void {
  const key = adminKeyFile === undefined ? '$SERVICE_ADMINKEY' : `$(cat ${quoted(adminKeyFile)})`
  const lines = [
    `Semblance is listening on ${url} (${database} database); its documentation is at ${url}/docs`,
    ...(adminKeyFile === undefined ? [] : [`The administrator key is in ${adminKeyFile}`]),
    ...(encryptionKeyFile === undefined
      ? []
      : [`The key that seals stored secrets is in ${encryptionKeyFile}; keep it`]),
    `Make users in the browser, with the administrator key: ${url}/explore/admin`,
    `Try: curl -H "Authorization: Bearer ${key}" ${quoted(`${url}/v1/users`)}`,
  ]
  for (const line of lines) log.info(line)
}
