import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { freePort } from '../../shared/ports.ts'
import { type Cluster, hasPostgres } from './cluster.ts'
import { Daemon, programOf } from './daemon.ts'
import { type Site, siteAt } from './site.ts'

export const hasPgBouncer = hasPostgres && programOf('pgbouncer') !== undefined

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
