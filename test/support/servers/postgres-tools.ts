import { execFile, spawn } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { commandOf } from '../../shared/search-path.ts'
import { databaseUrl } from './site.ts'

export interface PostgresTools {
  /** pg_dump */
  readonly dump: string
  /** pg_restore */
  readonly restore: string
}

/**
 * pg_dump and pg_restore from the folder TEST_POSTGRES_BIN or from PATH, when they are not older
 * than the server: older ones refuse to work with it.
 */
export async function findPostgresTools(): Promise<PostgresTools | undefined> {
  if (databaseUrl === undefined) return undefined
  const folder = process.env['TEST_POSTGRES_BIN'] || undefined
  const pathOf = (name: string) => (folder === undefined ? commandOf(name) : join(folder, name))
  const [dump, restore] = ['pg_dump', 'pg_restore'].map(pathOf)
  const needed = await serverVersion(databaseUrl)
  const version = dump === undefined ? 'none' : await versionOf(dump)
  if (dump !== undefined && restore !== undefined && Number(version) >= needed) {
    return { dump, restore }
  }
  process.stderr.write(
    `SKIPPED: no pg_dump of PostgreSQL ${needed} in TEST_POSTGRES_BIN or on PATH (${version}), so backup and restore are not tried there\n`,
  )
  return undefined
}

async function serverVersion(url: string): Promise<number> {
  const server = postgres(url, { max: 1 })
  const [row] = await server`select current_setting('server_version_num')::int / 10000 as major`
  await server.end()
  return Number(row?.['major'])
}

async function versionOf(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)(command, ['--version'])
  return / (\d+)/.exec(stdout)?.[1] ?? stdout
}

/** `<command> <args> >file`, or with `<file` where it reads one. @throws when it fails or complains */
export async function runWithFile(
  command: string,
  args: readonly string[],
  { from, to }: { readonly from?: string; readonly to?: string },
): Promise<void> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints += text
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  if (from === undefined) child.stdin.end()
  else await pipeline(createReadStream(from), child.stdin)
  if (to !== undefined) await pipeline(child.stdout, createWriteStream(to))
  const exit = await ended
  if (exit !== 0 || complaints !== '') throw new Error(`${command}: ${exit}\n${complaints}`)
}
