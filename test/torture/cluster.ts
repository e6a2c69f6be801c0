import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { freePort } from '../shared/ports.ts'
import type { Binaries } from './binaries.ts'

const startMs = 60_000

/** A PostgreSQL of our own, which may be killed. It syncs to disk as it does by default. */
export class Cluster {
  readonly port: number
  readonly #binaries: Binaries
  /** As the programs see it. */
  readonly #folder: string
  readonly #log: number
  #postmaster: ChildProcess | undefined
  #databases = 0

  private constructor(binaries: Binaries, folder: string, port: number, log: string) {
    this.#binaries = binaries
    this.#folder = folder
    this.port = port
    this.#log = openSync(log, 'a')
  }

  static async create(binaries: Binaries, log: string): Promise<Cluster> {
    const made = mkdtempSync(`${binaries.root}/tmp/semblance-torture-`)
    const folder = made.slice(binaries.root.length)
    const cluster = new Cluster(binaries, folder, await freePort(), log)
    // initdb makes the folder below; it may be another user's.
    execFileSync('chmod', ['777', made])
    const args = ['-D', join(folder, 'data'), '-A', 'trust', '-U', 'postgres', '--locale=C.UTF-8']
    const [command, ...rest] = binaries.command('initdb', args)
    execFileSync(command, rest, { stdio: ['ignore', cluster.#log, cluster.#log], cwd: '/' })
    await cluster.start()
    return cluster
  }

  /** As we see it. */
  get folder(): string {
    return this.#binaries.root + this.#folder
  }

  /** Resolves when a query has been answered. */
  async start(): Promise<void> {
    const deadline = Date.now() + startMs
    while (Date.now() < deadline) {
      const [command, ...args] = this.#binaries.command('postgres', [
        ...['-D', join(this.#folder, 'data'), '-p', `${this.port}`],
        ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ])
      const stdio = ['ignore', this.#log, this.#log] as const
      const child = spawn(command, args, { stdio: [...stdio], cwd: '/' })
      this.#postmaster = child
      const ended = new Promise<false>((resolve) => child.once('exit', () => resolve(false)))
      if (await Promise.race([ended, this.ready()])) return
      // What is left of a killed one may still hold the shared memory for a moment.
      await sleep(100)
    }
    throw new Error('PostgreSQL does not start; see its log')
  }

  /** Resolves when a query has been answered on a fresh connection. */
  async ready(): Promise<true> {
    for (const deadline = Date.now() + startMs; ; await sleep(5)) {
      if (await this.query('select 1').catch(() => undefined)) return true
      if (Date.now() > deadline) throw new Error('PostgreSQL does not answer; see its log')
    }
  }

  async query(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const sql = this.connect(database)
    try {
      return [...(await sql.unsafe(text))]
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  connect(database: string) {
    return postgres({
      host: '127.0.0.1',
      port: this.port,
      user: 'postgres',
      database,
      max: 1,
      connect_timeout: 5,
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: 'torture' },
    })
  }

  async newDatabase(): Promise<string> {
    this.#databases += 1
    const name = `torture_${this.#databases}`
    await this.query(`create database ${name}`)
    return name
  }

  /** The process numbers of the backends that serve a database's semblance. */
  async backends(database: string): Promise<number[]> {
    const rows = await this.query(
      `select pid from pg_stat_activity where application_name = 'semblance' and datname = '${database}'`,
    )
    return rows.map(({ pid }) => Number(pid))
  }

  /** Waits until no statement or transaction of semblance runs any more in a database. */
  async quiet(database: string, condition = `state <> 'idle'`): Promise<void> {
    const busy = `select 1 from pg_stat_activity where application_name = 'semblance'
      and datname = '${database}' and query !~* 'create index|advisory' and ${condition}`
    for (const deadline = Date.now() + 60_000; ; await sleep(10)) {
      if ((await this.query(busy)).length === 0) return
      if (Date.now() > deadline) throw new Error(`transactions are still open in ${database}`)
    }
  }

  /** As if the machine's memory had run out: the postmaster and all of its children at once. */
  async kill(): Promise<void> {
    const postmaster = this.#postmaster
    if (postmaster?.pid === undefined || postmaster.exitCode !== null) return
    const children = childrenOf(postmaster.pid)
    const gone = new Promise((resolve) => postmaster.once('exit', resolve))
    for (const pid of [postmaster.pid, ...children]) killIfThere(pid)
    await gone
    while (children.some(isRunning)) await sleep(5)
  }

  async remove(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** State and parent of a process, from behind its name, which may hold spaces. */
function statOf(pid: number | string): [state: string, parent: number] | undefined {
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
