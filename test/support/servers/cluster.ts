import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { isInstalled } from '../../shared/extensions.ts'
import { freePort } from '../../shared/ports.ts'
import { commandFor, Daemon, programOf, root } from './daemon.ts'
import { type Site, siteAt } from './site.ts'

export const hasPostgres = programOf('initdb') !== undefined && hasPgvector()

/** Whether pgvector is installed beside the PostgreSQL that is found. */
function hasPgvector(): boolean {
  const isThere = isInstalled('vector', commandFor('initdb', []), root)
  if (!isThere) {
    process.stderr.write(
      'SKIPPED: the PostgreSQL on PATH has no pgvector, so what needs one of our own is not tried\n',
    )
  }
  return isThere
}

const certificates = fileURLToPath(new URL('certificates', import.meta.url))
export const certificate = (name: string) => join(certificates, `${name}.crt`)

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

  query(text: string): Promise<Record<string, unknown>[]> {
    return queryAt(this, text)
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

/** On a connection of its own, through the Unix socket. */
export async function queryAt({ folder, port }: Daemon, text: string) {
  const sql = postgres({
    host: folder,
    port,
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
