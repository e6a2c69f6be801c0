import type { Config } from '../../config/config.ts'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { announce } from '../announce.ts'
import { embeddingHostsOf } from '../app-settings.ts'
import { askedToStop } from '../asked-to-stop.ts'
import { checkConnections, checkFree, openStore } from '../startup.ts'
import { shareOf } from './division.ts'
import { Supervisor } from './supervisor.ts'

/**
 * Has so many processes serve on one port until SIGTERM or SIGINT. This one checks all that can be wrong, brings the
 * database up to date, and then serves nothing itself. @throws StartupError
 */
export async function superviseUntilStopped(
  config: Config,
  log: Log,
  workers: number,
): Promise<void> {
  refusePlatform()
  embeddingHostsOf(config)
  const asked = askedToStop(log)
  const share = shareOf(config, workers)
  const prepared = await Promise.race([prepare(share, log, workers), asked])
  if (prepared === undefined) return
  const supervisor = new Supervisor({ ...share, port: prepared.port }, workers, log)
  try {
    const url = await Promise.race([supervisor.start(), asked])
    if (url !== undefined) {
      log.info(`${workers} worker processes serve`)
      announce(log, url, config, prepared)
    }
    await asked
  } finally {
    await supervisor.stop()
  }
}

/**
 * @param config of each process
 * @returns the port, also where any was to be taken, and where generated keys are
 */
async function prepare(config: Config, log: Log, workers: number) {
  const port = await checkFree(config)
  const store = await openStore(config, log, () => checkConnections(config, log, workers))
  await store.database.close()
  const { adminKeyFile, encryptionKeyFile } = store
  return { port, adminKeyFile, encryptionKeyFile }
}

/** Elsewhere the system gives all connections to one of the processes, or lets none have the port but the first. */
function refusePlatform(): void {
  if (globalThis.Bun === undefined || process.platform === 'linux') return
  throw new StartupError(
    `SERVICE_WORKERS (--workers) must be 1 with Bun on ${process.platform}: processes share a port with Bun on Linux alone; run it with Node for more`,
  )
}
