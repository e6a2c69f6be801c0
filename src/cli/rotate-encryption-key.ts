import { secretFrom } from '../config/secret-file.ts'
import { storeSettings } from '../config/settings.ts'
import { StartupError } from '../errors.ts'
import { createLog } from '../log.ts'
import type { Rotated } from '../server/rotate.ts'
import type { Command } from './flags.ts'
import { print, say } from './print.ts'

export const rotateEncryptionKey: Command = {
  description: 'Seal all secrets with NEW_ENCRYPTION_KEY, and stop',
  settings: storeSettings,
  async run(given, env) {
    const config = given.config()
    const newKey = newEncryptionKey(env)
    const { rotateKey } = await import('../server/rotate.ts')
    await print(report(await rotateKey(config, newKey, createLog(config.debug), say)))
  },
}

/** It is never a flag, because other users of the machine can see flags. */
export function newEncryptionKey(env: NodeJS.ProcessEnv): string {
  const key = secretFrom(env, 'NEW_ENCRYPTION_KEY')
  if (key === undefined) {
    throw new StartupError('NEW_ENCRYPTION_KEY is missing; set it to at least 32 characters')
  }
  if (key.length < 32) throw new StartupError('NEW_ENCRYPTION_KEY must have at least 32 characters')
  if (key === key.trim()) return key
  // Files and .env would lose the white space.
  throw new StartupError('NEW_ENCRYPTION_KEY must not begin or end with white space')
}

function report({ users, instances, keyFile }: Rotated): string {
  const done = `Sealed the keys of ${users} users and ${instances} instances with the new key`
  const next =
    keyFile === undefined
      ? 'Next: set ENCRYPTION_KEY to the new key and start; a server that still runs must be restarted with it'
      : `The new key is in ${keyFile}; keep it, and start as before`
  return `${done}\n${next}\n`
}
