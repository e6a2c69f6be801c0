import { execFileSync } from 'node:child_process'
import { freePort } from '../../shared/ports.ts'
import { type Cluster, queryAt } from './cluster.ts'
import { commandFor, Daemon } from './daemon.ts'

/** What a cluster needs in its pg_hba.conf to have replicas. */
export const forReplicas = [
  'host all all 127.0.0.1/32 trust',
  'host replication all 127.0.0.1/32 trust',
]

/** A streaming replica of a cluster, made by pg_basebackup. */
export class StreamingReplica extends Daemon {
  readonly #primary: Cluster

  private constructor(primary: Cluster, port: number) {
    super(port)
    this.#primary = primary
  }

  static async of(primary: Cluster): Promise<StreamingReplica> {
    const replica = new StreamingReplica(primary, await freePort())
    const from = ['-h', '127.0.0.1', '-p', `${primary.port}`, '-U', 'postgres']
    const how = ['-D', `${replica.inside}/data`, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
    const [command, ...rest] = commandFor('pg_basebackup', [...from, ...how])
    execFileSync(command, rest, { stdio: 'ignore', cwd: '/' })
    await replica.start()
    return replica
  }

  async start(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${this.inside}`]
    // Of a file: what the primary was given on its command line is not in its backup.
    const options = [...settings, 'fsync=off'].flatMap((setting) => ['-c', setting])
    this.spawn('postgres', ['-D', `${this.inside}/data`, '-p', `${this.port}`, ...options])
    await this.until(() => this.query('select 1'))
  }

  query(text: string): Promise<Record<string, unknown>[]> {
    return queryAt(this, text)
  }

  promote = () => this.query('select pg_promote()')

  /** Until it has replayed all that is stored. */
  async catchUp(): Promise<void> {
    // Its commit has all that comes before it sent.
    await this.#primary.query("select pg_logical_emit_message(true, 'test', '')")
    const [row] = await this.#primary.query('select pg_current_wal_insert_lsn()::text as lsn')
    const hasReplayed = `select 1 / (pg_last_wal_replay_lsn() >= '${row?.['lsn']}')::int`
    await this.until(() => this.query(hasReplayed))
  }
}
