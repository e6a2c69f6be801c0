import type { Config } from '../config/config.ts'
import { type Distribution, distribute, refuseUnfit } from '../db/postgres/distribute.ts'
import type { Log } from '../log.ts'
import { openStore, requireFolder } from './startup.ts'

/**
 * Brings the database up to date, and distributes its embeddings.
 * @throws StartupError
 */
export async function distributeStore(
  config: Config,
  shards: number,
  log: Log,
  show: (done: number, total: number) => void,
): Promise<Distribution> {
  requireFolder(config)
  const { database } = await openStore(config, log, refuseUnfit)
  try {
    return await distribute(database, shards, show)
  } finally {
    await database.close()
  }
}
