import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { defineCommand } from 'citty'
import type { Config } from '../config/config.ts'
import { secretFrom } from '../config/secret-file.ts'
import { prepareDatabase } from '../db/prepare.ts'
import { StartupError } from '../errors.ts'
import { createLog } from '../log.ts'
import { adoptKey, fileOfKey, proposeKey } from '../secrets/key-file.ts'
import { rotate } from '../secrets/rotation.ts'
import { createSealer } from '../secrets/sealing.ts'
import { openService } from '../server/startup.ts'
import { configFrom, settingArgs } from './flags.ts'

export const rotateEncryptionKey = (env: NodeJS.ProcessEnv) =>
  defineCommand({
    meta: {
      name: 'rotate-encryption-key',
      description:
        'Seal all stored secrets with the key in NEW_ENCRYPTION_KEY, and stop; ENCRYPTION_KEY is the old key',
    },
    args: settingArgs,
    async run(context) {
      const config = configFrom(context, env)
      const newKey = newEncryptionKey(env)
      const log = createLog(config.debug)
      const { database, encryptionKeyFile } = await openService(config, log)
      try {
        const oldKey = await currentKey(config, encryptionKeyFile)
        if (oldKey === newKey) {
          throw new StartupError('NEW_ENCRYPTION_KEY must differ from the key in use')
        }
        const keyFile = await generatedKeyFile(config, oldKey)
        const rotation = {
          oldKey: createSealer(oldKey),
          newKey: createSealer(newKey),
          progress: (line: string) => void process.stderr.write(`${line}\n`),
        }
        let count = { users: 0, instances: 0 }
        // Takes the lock of the start-up, so that no server starts meanwhile.
        await prepareDatabase(database, async (tx) => {
          count = await rotate(tx, rotation)
          if (keyFile !== undefined) await proposeKey(keyFile, newKey)
        })
        if (keyFile !== undefined) await adoptKey(keyFile)
        process.stdout.write(report(count, keyFile))
      } finally {
        await database.close()
      }
    },
  })

/** Never a flag: other users of the machine can see those. */
function newEncryptionKey(env: NodeJS.ProcessEnv): string {
  const key = secretFrom(env, 'NEW_ENCRYPTION_KEY')
  if (key === undefined)
    throw new StartupError('NEW_ENCRYPTION_KEY is missing; set it to at least 32 characters')
  if (key.length < 32) throw new StartupError('NEW_ENCRYPTION_KEY must have at least 32 characters')
  if (key === key.trim()) return key
  // Files and .env lose it.
  throw new StartupError('NEW_ENCRYPTION_KEY must not begin or end with white space')
}

async function currentKey({ encryptionKey }: Config, file = ''): Promise<string> {
  return encryptionKey ?? (await readFile(file, 'utf8')).trim()
}

/** The file to replace, also when its key was given as ENCRYPTION_KEY. */
async function generatedKeyFile({ database, dataDir }: Config, oldKey: string) {
  return database === 'embedded' ? fileOfKey(resolve(dataDir), oldKey) : undefined
}

function report(count: { users: number; instances: number }, keyFile: string | undefined): string {
  const done = `Sealed the keys of ${count.users} users and ${count.instances} instances with the new key`
  const next =
    keyFile === undefined
      ? 'Next: set ENCRYPTION_KEY to the new key and start; a server that still runs must be restarted with it'
      : `The new key is in ${keyFile}; keep it, and start as before`
  return `${done}\n${next}\n`
}
