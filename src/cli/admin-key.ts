import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { secretFrom } from '../config/secret-file.ts'
import { StartupError } from '../errors.ts'
import { readDotenv } from './flags.ts'

interface AdminKey {
  readonly key: string
  /** The file of a generated key; undefined if the key was given. */
  readonly file: string | undefined
}

/** Whether the URL names this machine, also by one of its own addresses. */
function isLocal(url: string): boolean {
  const name = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return /^(localhost|127\.[\d.]+|::1)$/.test(name) || own.some(({ address }) => address === name)
}

/**
 * Finds the key as the server of this folder does: given, or generated next to its embedded
 * database.
 * @param given the folder, if it was named
 */
export function findAdminKey(
  env: NodeJS.ProcessEnv,
  url: string,
  given: string | undefined,
): AdminKey {
  const dotenv = readDotenv()
  const key = secretFrom(env, 'SERVICE_ADMINKEY') ?? secretFrom(dotenv, 'SERVICE_ADMINKEY')
  if (key !== undefined) return { key, file: undefined }
  if (!given && !isLocal(url)) {
    const clients = env['SEMBLANCE_KEY']
    if (clients) return { key: clients, file: undefined }
    throw new StartupError(
      "SERVICE_ADMINKEY must be the server's administrator key; the one of this folder is sent to no other machine",
    )
  }
  const folder = given || env['SERVICE_DATADIR'] || dotenv['SERVICE_DATADIR'] || './data'
  const file = join(resolve(folder), 'admin.key')
  try {
    return { key: readFileSync(file, 'utf8').trim(), file }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    throw new StartupError(
      `SERVICE_ADMINKEY must be the server's administrator key; it is not given, and ${file} cannot be read (${code})`,
    )
  }
}
