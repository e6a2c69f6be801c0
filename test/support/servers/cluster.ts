import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { freePort } from '../../shared/ports.ts'
import { prefixFor } from '../../shared/postgres-user.ts'
import { searchPath } from '../../shared/search-path.ts'
import { givenKeys, newFolder, type Site } from './site.ts'

/** Below this folder, as below `/` elsewhere, are PostgreSQL's programs and PgBouncer. */
const root = process.env['TEST_POSTGRES_ROOT'] ?? ''
const usualFolders = ['/usr/lib/postgresql/18/bin', '/usr/sbin']
const folders = root === '' ? [...usualFolders, ...searchPath.split(delimiter)] : usualFolders

/** The path of a program, as it is below the root. */
function programOf(name: string): string | undefined {
  const folder = folders.find((candidate) => existsSync(join(root, candidate, name)))
  if (folder === undefined) {
    process.stderr.write(
      `SKIPPED: there is no ${name} below TEST_POSTGRES_ROOT or on PATH, so what needs one of our own is not tried\n`,
    )
  }
  return folder && join(folder, name)
}

export const hasPostgres = programOf('initdb') !== undefined
export const hasPgBouncer = hasPostgres && programOf('pgbouncer') !== undefined

/** The command that runs a program as a user whom it does not refuse. */
function commandFor(name: string, args: readonly string[]): [string, ...string[]] {
  const [command = '', ...rest] = [...prefixFor(root), programOf(name) ?? name, ...args]
  return [command, ...rest]
}

const certificates = fileURLToPath(new URL('certificates', import.meta.url))
export const certificate = (name: string) => join(certificates, `${name}.crt`)

const siteAt = async (port: number, env: Readonly<Record<string, string>>): Promise<Site> => ({
  folder: await newFolder(),
  env: { ...givenKeys, SERVICE_DBHOST: '127.0.0.1', SERVICE_DBPORT: `${port}`, ...env },
  adminKey: async () => givenKeys.SERVICE_ADMINKEY,
})

/** A folder that the programs may write to, and what runs in it. */
abstract class Daemon {
  readonly port: number
  /** As we see it. */
  readonly folder: string
  #process: ChildProcess | undefined

  constructor(port: number) {
    this.port = port
    this.folder = mkdtempSync(`${root}/tmp/semblance-cluster-`)
    chmodSync(this.folder, 0o777)
  }

  /** As the programs see it. */
  get inside(): string {
    return this.folder.slice(root.length)
  }

  protected spawn(name: string, args: readonly string[]): void {
    const log = openSync(join(this.folder, 'log'), 'a')
    const [command, ...rest] = commandFor(name, args)
    this.#process = spawn(command, rest, { stdio: ['ignore', log, log], cwd: '/' })
  }

  /** Tries `attempt` until it works. @throws with the log when it never does, and stops */
  protected async until<T>(attempt: () => Promise<T>): Promise<T> {
    for (const deadline = Date.now() + 60_000; ; await sleep(50)) {
      try {
        return await attempt()
      } catch (error) {
        if (Date.now() < deadline) continue
        const log = readFileSync(join(this.folder, 'log'), 'utf8')
        await this.stop()
        throw new Error(log, { cause: error })
      }
    }
  }

  async stop(): Promise<void> {
    if (this.#process?.exitCode === null) {
      this.#process.kill('SIGQUIT')
      await once(this.#process, 'exit')
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A PostgreSQL of the tests' own on 127.0.0.1, with the certificates of the tests. */
export class Cluster extends Daemon {
  /**
   * @param hba who may connect from where, besides everybody through the Unix socket
   * @param more settings that need a start
   */
  static async start(hba: readonly string[], more: readonly string[] = []): Promise<Cluster> {
    const cluster = new Cluster(await freePort())
    const data = `${cluster.inside}/data`
    const args = ['-D', data, '-A', 'trust', '-U', 'postgres', '--locale=C.UTF-8', '--no-sync']
    const [command, ...rest] = commandFor('initdb', args)
    execFileSync(command, rest, { stdio: 'ignore', cwd: '/' })
    const own = (name: string) => join(cluster.folder, 'data', name)
    for (const file of ['server.crt', 'expired.crt', 'server.key']) {
      copyFileSync(join(certificates, file), own(file))
    }
    // Of root, as the key may be that the server reads: it must be nobody else's to read.
    execFileSync('chown', ['--reference', own('PG_VERSION'), own('server.key')])
    chmodSync(own('server.key'), 0o600)
    writeFileSync(own('pg_hba.conf'), `${['local all all trust', ...hba].join('\n')}\n`)
    const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${cluster.inside}`]
    const options = [...settings, 'fsync=off', ...more].flatMap((setting) => ['-c', setting])
    cluster.spawn('postgres', ['-D', data, '-p', `${cluster.port}`, ...options])
    await cluster.until(() => cluster.query('select 1'))
    return cluster
  }

  /** Where a server is started that uses it. */
  site(env: Readonly<Record<string, string>>): Promise<Site> {
    return siteAt(this.port, env)
  }

  /** On a connection of its own, through the Unix socket. */
  async query(text: string): Promise<Record<string, unknown>[]> {
    const sql = postgres({
      host: this.folder,
      port: this.port,
      user: 'postgres',
      database: 'postgres',
      max: 1,
      fetch_types: false,
      connect_timeout: 5,
      onnotice: () => {},
    })
    try {
      return [...(await sql.unsafe(text))]
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  /** Changes settings of the server for all connections to come; '' is the default. */
  async set(settings: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(settings)) {
      await this.query(
        value ? `alter system set ${name} = '${value}'` : `alter system reset ${name}`,
      )
    }
    const [row] = await this.query('select pg_conf_load_time()::text as loaded, pg_reload_conf()')
    await this.until(async () => {
      const [now] = await this.query('select pg_conf_load_time()::text as loaded')
      if (now?.['loaded'] === row?.['loaded']) throw new Error('the settings were not loaded')
    })
  }
}

/** A PgBouncer before a cluster. */
export class PgBouncer extends Daemon {
  static async start(cluster: Cluster, settings: readonly string[]): Promise<PgBouncer> {
    const bouncer = new PgBouncer(await freePort())
    const lines = [
      '[databases]',
      `* = host=${cluster.inside} port=${cluster.port} user=postgres`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${bouncer.port}`,
      'unix_socket_dir =',
      'auth_type = any',
      ...settings,
    ]
    writeFileSync(join(bouncer.folder, 'ini'), `${lines.join('\n')}\n`)
    bouncer.spawn('pgbouncer', [`${bouncer.inside}/ini`])
    await bouncer.until(() => bouncer.answers())
    return bouncer
  }

  /** Where a server is started that uses it. */
  site(env: Readonly<Record<string, string>> = {}): Promise<Site> {
    return siteAt(this.port, env)
  }

  private async answers(): Promise<void> {
    const { port } = this
    const [host, ssl] = ['127.0.0.1', 'prefer' as const]
    const sql = postgres({ host, port, user: 'postgres', max: 1, fetch_types: false, ssl })
    try {
      await sql.unsafe('select 1')
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}
