import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
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
  const input = from === undefined ? 'ignore' : openSync(from, 'r')
  const output = to === undefined ? 'ignore' : openSync(to, 'w')
  const child = spawn(command, args, { stdio: [input, output, 'pipe'] })
  const complaints = child.stderr === null ? '' : await text(child.stderr)
  if (child.exitCode === null) await once(child, 'exit')
  if (child.exitCode !== 0 || complaints !== '') {
    throw new Error(`${command}: ${child.exitCode}\n${complaints}`)
  }
}
