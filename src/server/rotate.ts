import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { prepareDatabase } from '../db/prepare.ts'
import { StartupError } from '../errors.ts'
import type { Log } from '../log.ts'
import { adoptKey, fileOfKey, proposeKey } from '../secrets/key-file.ts'
import { rotate } from '../secrets/rotation.ts'
import { createSealer } from '../secrets/sealing.ts'
import { openStore, requireFolder } from './startup.ts'

export type Rotated = Awaited<ReturnType<typeof rotateKey>>

/**
 * Seals all stored secrets with another key, in one transaction.
 * @param progress reports in words how far it is
 * @returns how much was sealed anew, and the file of a generated key, which now holds the new key
 * @throws StartupError
 */
export async function rotateKey(
  config: Config,
  newKey: string,
  log: Log,
  progress: (line: string) => void,
) {
  requireFolder(config)
  const { database, sealer, encryptionKey } = await openStore(config, log)
  try {
    if (encryptionKey === newKey) {
      throw new StartupError('NEW_ENCRYPTION_KEY must differ from the key in use')
    }
    // It is replaced even if its key was given as ENCRYPTION_KEY.
    const keyFile =
      config.database === 'embedded'
        ? await fileOfKey(resolve(config.dataDir), encryptionKey)
        : undefined
    const rotation = { oldKey: sealer, newKey: createSealer(newKey), progress }
    let count = { users: 0, instances: 0 }
    // This takes the lock of the start-up, so that no server starts meanwhile.
    await prepareDatabase(database, async (tx) => {
      count = await rotate(tx, rotation)
      if (keyFile !== undefined) proposeKey(keyFile, newKey)
    })
    if (keyFile !== undefined) adoptKey(keyFile)
    return { ...count, keyFile }
  } finally {
    await database.close()
  }
}
