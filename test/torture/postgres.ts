import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { freePort } from '../shared/ports.ts'
import { commandFor, Daemon, programOf } from '../support/servers/daemon.ts'

const startMs = 60_000
const quietMs = 60_000

/** A PostgreSQL of our own, which may be killed. It syncs to disk as it does by default. */
export class Cluster extends Daemon {
  readonly #settings: readonly string[]
  #databases = 0

  private constructor(port: number, settings: readonly string[]) {
    super(port)
    this.#settings = settings
  }

  /** @param settings `name=value`, besides those that every cluster has */
  static async create(settings: readonly string[] = []): Promise<Cluster> {
    if (programOf('initdb') === undefined) throw new Error('PostgreSQL is not installed')
    const cluster = new Cluster(await freePort(), settings)
    const args = ['-D', cluster.#data, '-A', 'trust', '-U', 'postgres', '--locale=C.UTF-8']
    const [command, ...rest] = commandFor('initdb', args)
    execFileSync(command, rest, { stdio: 'ignore', cwd: '/' })
    await cluster.start()
    return cluster
  }

  get #data(): string {
    return `${this.inside}/data`
  }

  /** Resolves when a query has been answered. */
  async start(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...this.#settings]
    const options = settings.flatMap((setting) => ['-c', setting])
    for (const deadline = Date.now() + startMs; Date.now() < deadline; await sleep(100)) {
      const child = this.spawn('postgres', ['-D', this.#data, '-p', `${this.port}`, ...options])
      // What is left of a killed one may still hold the shared memory for a moment.
      const ended = once(child, 'exit').then(() => false)
      if (await Promise.race([ended, this.ready()])) return
    }
    throw new Error(`PostgreSQL does not start; see ${this.folder}/log`)
  }

  /** Resolves when a query has been answered on a fresh connection. */
  async ready(): Promise<true> {
    for (const deadline = Date.now() + startMs; ; await sleep(5)) {
      if (await this.query('select 1').catch(() => undefined)) return true
      if (Date.now() > deadline)
        throw new Error(`PostgreSQL does not answer; see ${this.folder}/log`)
    }
  }

  query(text: string): Promise<Row[]> {
    return new Database(this, 'postgres').query(text)
  }

  async newDatabase(): Promise<Database> {
    this.#databases += 1
    const name = `torture_${this.#databases}`
    await this.query(`create database ${name}`)
    return new Database(this, name)
  }

  /** As if the machine's memory had run out: the postmaster and all of its children at once. */
  async kill(): Promise<void> {
    const { running } = this
    if (running?.pid === undefined) return
    const children = childrenOf(running.pid)
    const gone = once(running, 'exit')
    for (const pid of [running.pid, ...children]) signalIfThere(pid)
    await gone
    while (children.some(isRunning)) await sleep(5)
  }

  /** Kills one backend, after which PostgreSQL restarts all. Resolves when it answers again. */
  async killBackend(pid: number): Promise<void> {
    const canary = new Database(this, 'postgres').connect()
    await canary`select 1`
    const down = canary`select pg_sleep(20)`.then(
      () => Promise.reject(new Error('PostgreSQL has not restarted')),
      () => {},
    )
    await sleep(1)
    signalIfThere(pid)
    await down
    await canary.end({ timeout: 0 })
    await this.ready()
  }

  async terminateBackends(pids: readonly number[]): Promise<void> {
    const calls = pids.map((pid) => `pg_terminate_backend(${pid})`)
    if (calls.length > 0) await this.query(`select ${calls.join()}`)
  }
}

type Row = Record<string, unknown>

/** A database of a server, as its superuser sees it. */
export class Database {
  readonly cluster: Cluster
  readonly name: string

  constructor(cluster: Cluster, name: string) {
    this.cluster = cluster
    this.name = name
  }

  connect() {
    return postgres({
      host: '127.0.0.1',
      port: this.cluster.port,
      user: 'postgres',
      database: this.name,
      max: 1,
      connect_timeout: 5,
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: 'torture' },
    })
  }

  async query(text: string): Promise<Row[]> {
    const sql = this.connect()
    try {
      return [...(await sql.unsafe(text))]
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  /** The process numbers of the backends that serve semblance. */
  async backends(): Promise<number[]> {
    const rows = await this.cluster.query(
      `select pid from pg_stat_activity where application_name = 'semblance' and datname = '${this.name}'`,
    )
    return rows.map(({ pid }) => Number(pid))
  }

  /** Waits until no statement or transaction of semblance runs any more. */
  async quiet(condition = `state <> 'idle'`): Promise<void> {
    const busy = `select 1 from pg_stat_activity where application_name = 'semblance'
      and datname = '${this.name}' and query !~* 'create index|advisory' and ${condition}`
    for (const deadline = Date.now() + quietMs; ; await sleep(10)) {
      if ((await this.cluster.query(busy)).length === 0) return
      if (Date.now() > deadline) throw new Error(`transactions are still open in ${this.name}`)
    }
  }
}

function signalIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** State and parent of a process, from behind its name, which may hold spaces. */
function statOf(pid: number | string): readonly [state: string, parent: number] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [state, Number(parent)]
  } catch {
    return undefined
  }
}

const isRunning = (pid: number) => !['Z', undefined].includes(statOf(pid)?.[0])

const childrenOf = (parent: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(name)?.[1] === parent)
    .map(Number)
