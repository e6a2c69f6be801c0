import type { Config } from '../config/config.ts'
import type { Log } from '../log.ts'
import { createBackup } from '../service/backup/backup.ts'
import { openDatabase, requireFiles } from './startup.ts'

/**
 * The archive of an embedded database that no server uses. No server can use it until this ends.
 * @throws StartupError
 */
export async function* archiveOfStopped(config: Config, log: Log) {
  requireFiles(config)
  const database = await openDatabase(config, log)
  try {
    yield* createBackup(database).archive()
  } finally {
    await database.close()
  }
}
