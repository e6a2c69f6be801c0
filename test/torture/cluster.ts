import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../shared/ports.ts'
import type { Binaries } from './binaries.ts'
import { DatabaseServer } from './database-server.ts'
import { childrenOf, isRunning, signalIfThere } from './processes.ts'

const startMs = 60_000

/** A PostgreSQL of our own, which may be killed. It syncs to disk as it does by default. */
export class Cluster extends DatabaseServer {
  readonly #binaries: Binaries
  /** As the programs see it. */
  readonly #folder: string
  readonly #log: number
  readonly #settings: readonly string[]
  #postmaster: ChildProcess | undefined

  private constructor(binaries: Binaries, port: number, log: string, settings: readonly string[]) {
    super(port)
    this.#binaries = binaries
    const made = mkdtempSync(`${binaries.root}/tmp/semblance-torture-`)
    // The programs make the folder below; they may be another user's.
    chmodSync(made, 0o777)
    this.#folder = made.slice(binaries.root.length)
    this.#log = openSync(log, 'a')
    this.#settings = settings
  }

  /** @param settings `name=value`, besides those that every cluster has */
  static async create(binaries: Binaries, log: string, settings: readonly string[] = []) {
    const cluster = new Cluster(binaries, await freePort(), log, settings)
    await cluster.#make('initdb', ['-A', 'trust', '-U', 'postgres', '--locale=C.UTF-8'])
    await cluster.start()
    return cluster
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  /** Clients of the service go on meanwhile. @throws when the program fails */
  async #make(program: string, how: readonly string[]): Promise<void> {
    const [code] = await once(this.#run(program, how), 'exit')
    if (code !== 0) throw new Error(`${program} ended with ${code}; see its log`)
  }

  #run(program: string, how: readonly string[]): ChildProcess {
    const [command, ...args] = this.#binaries.command(program, ['-D', this.#data, ...how])
    // Where Citus looks for certificates: not in root's home, which it may not read.
    const env = { ...process.env, HOME: this.#folder }
    return spawn(command, args, { stdio: ['ignore', this.#log, this.#log], cwd: '/', env })
  }

  /** As we see it. */
  get folder(): string {
    return this.#binaries.root + this.#folder
  }

  /** Resolves when a query has been answered. */
  async start(): Promise<void> {
    const deadline = Date.now() + startMs
    while (Date.now() < deadline) {
      const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...this.#settings]
      const options = settings.flatMap((setting) => ['-c', setting])
      const child = this.#run('postgres', ['-p', `${this.port}`, ...options])
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

  /** As if the machine's memory had run out: the postmaster and all of its children at once. */
  async kill(): Promise<void> {
    const postmaster = this.#postmaster
    if (postmaster?.pid === undefined) return
    if (postmaster.exitCode !== null || postmaster.signalCode !== null) return
    const children = childrenOf(postmaster.pid)
    const gone = new Promise((resolve) => postmaster.once('exit', resolve))
    for (const pid of [postmaster.pid, ...children]) signalIfThere(pid, 'SIGKILL')
    await gone
    while (children.some(isRunning)) await sleep(5)
  }

  async remove(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
