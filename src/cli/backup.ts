import { existsSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import type { Config } from '../config/config.ts'
import { renameDurably } from '../durable-files.ts'
import { StartupError } from '../errors.ts'
import { createLog } from '../log.ts'
import { findAdminKey } from './admin-key.ts'
import type { Command } from './flags.ts'
import { print } from './print.ts'

export const backup: Command = {
  description: 'Back up the embedded database, also while its server runs',
  args: {
    file: {
      type: 'positional',
      required: false,
      description: 'The archive to make, such as semblance.tar',
    },
    url: {
      type: 'string',
      description: 'Where the server is, when not at SERVICE_HOST and SERVICE_PORT',
    },
    'data-dir': { type: 'string', description: 'Folder of the embedded database' },
  },
  async run(given, env) {
    const { file, url, 'data-dir': folder } = given.values
    if (!file) throw new StartupError('name the archive to make: semblance backup semblance.tar')
    if (existsSync(file)) throw new StartupError(`${file} is there already; name another file`)
    if (url !== undefined && !(URL.canParse(url) && /^https?:/.test(url))) {
      throw new StartupError('--url must be the http or https URL of a server')
    }
    const config = given.config()
    const source = await openSource(config, env, url, folder)
    const bytes = await writeWhole(source, file)
    await print(report(file, bytes, config, url !== undefined))
  },
}

/** The archive of the running server, or of the folder if no server runs. */
async function openSource(
  config: Config,
  env: NodeJS.ProcessEnv,
  url: string | undefined,
  folder: string | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  if (url !== undefined) return ask(url, findAdminKey(env, url, folder))
  if (config.database === 'postgres') {
    throw new StartupError(
      'PostgreSQL is backed up with pg_dump; this is for the embedded database',
    )
  }
  const { isHeld } = await import('../server/startup.ts')
  if (await isHeld(config)) {
    const server = urlOf(config)
    return ask(
      server,
      findAdminKey(env, server, folder),
      `the one that uses ${config.dataDir} is at another address`,
    )
  }
  return archiveOfFolder(config)
}

/** The archive of the folder of the database. No server can use the folder until this ends. */
async function* archiveOfFolder(config: Config) {
  const { openDatabase, requireFiles } = await import('../server/startup.ts')
  const { createBackup } = await import('../service/backup/backup.ts')
  requireFiles(config)
  const database = await openDatabase(config, createLog(false))
  try {
    yield* createBackup(database).archive()
  } finally {
    await database.close()
  }
}

/** The server's URL on this machine. One that listens on all addresses listens on localhost. */
function urlOf({ host, port }: Config): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** @param known about a server that is not there */
async function ask(
  url: string,
  { key, file }: ReturnType<typeof findAdminKey>,
  known = '',
): Promise<Readable> {
  const response = await fetch(new URL('/v1/admin/backup', url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
  }).catch(() => {
    const hint = known === '' ? '' : `; ${known}`
    throw new StartupError(`there is no server at ${url}${hint}; name it with --url`)
  })
  // Any other program that listens there may answer 200 too.
  const isArchive = response.headers.get('content-type') === 'application/x-tar'
  if (response.ok && !isArchive) {
    throw new StartupError(
      `${url} answers 200, but no backup; is it the server? name it with --url`,
    )
  }
  if (response.ok && response.body !== null) return Readable.fromWeb(response.body)
  const { detail = 'it gives no reason' } = Object(await response.json().catch(() => undefined))
  const withKey = file === undefined ? '' : `, with the administrator key in ${file}`
  throw new StartupError(`${url} answers ${response.status}${withKey}: ${detail}`)
}

/**
 * Writes a file that gets its name only when it is complete, and that only its owner can read.
 * @returns the size in bytes
 */
async function writeWhole(source: AsyncIterable<Uint8Array>, file: string): Promise<number> {
  const unfinished = `${file}.${process.pid}.unfinished`
  try {
    const target = await open(unfinished, 'wx', 0o600)
    const bytes = await writeAll(source, target).finally(() => target.close())
    renameDurably(unfinished, file)
    return bytes
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {})
    if (error instanceof StartupError) throw error
    const reason = error instanceof Error ? error.message : error
    throw new StartupError(`${file} was not made: ${reason}`)
  }
}

/**
 * If this fails, the source has ended as well by then and has left nothing behind.
 * @returns the number of bytes
 */
async function writeAll(source: AsyncIterable<Uint8Array>, target: FileHandle): Promise<number> {
  let bytes = 0
  for await (const part of source) {
    for (let at = 0; at < part.length; ) at += (await target.write(part, at)).bytesWritten
    bytes += part.length
  }
  await target.sync()
  return bytes
}

function report(
  file: string,
  bytes: number,
  { dataDir, encryptionKey }: Config,
  isElsewhere: boolean,
) {
  const generated = join(resolve(dataDir), 'encryption.key')
  const known = encryptionKey === undefined && !isElsewhere && existsSync(generated)
  const key = known ? generated : 'ENCRYPTION_KEY, or encryption.key in the folder of the server'
  return `${file} has the database (${(bytes / 2 ** 20).toFixed(1)} MB), BUT NOT THE ENCRYPTION KEY,
without which it does not open. Keep a copy of that key in another place: ${key}
`
}
