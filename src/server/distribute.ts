import type { Config } from '../config/config.ts'
import { distribute, refuseUnfit } from '../db/postgres/distribute.ts'
import type { Log } from '../log.ts'
import { openStore, requireFolder } from './startup.ts'

/**
 * Brings the database up to date, and distributes its embeddings.
 * @throws StartupError
 */
export async function distributeStore(config: Config, shards: number, log: Log) {
  requireFolder(config)
  const { database } = await openStore(config, log, refuseUnfit)
  try {
    log.info('distributing the embeddings, which takes as long as copying all of them')
    return await distribute(database, shards)
  } finally {
    await database.close()
  }
}
