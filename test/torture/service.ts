import { appendFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { memoryOf } from '../shared/memory.ts'
import { freePort } from '../shared/ports.ts'
import { within } from '../shared/time.ts'
import { Program, type Runtime } from '../support/servers/program.ts'

/** The program as `npm run build` made it. */
const program = fileURLToPath(new URL('../../../../../dist/main.js', import.meta.url))
const startMs = 60_000

export const adminKey = 'the-administrators-key-of-the-torture'
/** So low that indexes are built, and their builds interrupted. */
const indexed = { SERVICE_EXACTBUDGET: '20000' }

export type Settings = Readonly<Record<string, string>>

export const onPostgres = (port: number, database: string): Settings => ({
  ...indexed,
  SERVICE_DATABASE: 'postgres',
  SERVICE_DBHOST: '127.0.0.1',
  SERVICE_DBPORT: `${port}`,
  SERVICE_DBNAME: database,
})

/** The server that is tortured: one process after another, on one port, with the same settings. */
export class Service {
  readonly url: string
  readonly #runtime: Runtime
  readonly #folder: string
  #env: Settings
  readonly #log: string
  #process: Program | undefined
  #expectEnd = false
  /** Called when the process ends without having been told to. */
  onCrash: (output: string) => void = () => {}

  private constructor(runtime: Runtime, folder: string, env: Settings, port: number, log: string) {
    this.#runtime = runtime
    this.#folder = folder
    this.#env = env
    this.#log = log
    this.url = `http://127.0.0.1:${port}`
  }

  static async create(runtime: Runtime, folder: string, settings: Settings, log: string) {
    const port = await freePort()
    const env = {
      SERVICE_HOST: '127.0.0.1',
      SERVICE_PORT: `${port}`,
      SERVICE_DEBUG: 'false',
      SERVICE_ADMINKEY: adminKey,
      ENCRYPTION_KEY: 'the-encryption-key-of-the-torture-32+',
      ...settings,
    }
    return new Service(runtime, folder, env, port, log)
  }

  get #surroundings() {
    return { folder: this.#folder, env: this.#env }
  }

  /** Begins to start. @returns its process, which may not yet be listening */
  spawn(): Program {
    if (this.#runtime.command === undefined) throw new Error('there is no bun on PATH')
    const started = new Program(this.#runtime.command, [program, 'serve'], this.#surroundings)
    this.#process = started
    this.#expectEnd = false
    void started.exit.then((exit) => {
      appendFileSync(this.#log, `--- ended with ${exit}\n${started.stdout}${started.stderr}`)
      if (!this.#expectEnd) this.onCrash(`ended with ${exit}: ${started.stderr.slice(-2_000)}`)
    })
    return started
  }

  async start(patienceMs = startMs): Promise<void> {
    const started = this.spawn()
    await within(started.said(/is listening on (http\S+) /), patienceMs, 'the start of the server')
  }

  /** Ends in order, and begins anew with other settings besides those that it has. */
  async restart(settings: Settings): Promise<void> {
    await this.terminate()
    this.#env = { ...this.#env, ...settings }
    await this.start()
  }

  /** Another command of the program, with the same settings. @throws with what it printed when it fails */
  async run(args: readonly string[]): Promise<void> {
    const run = new Program(process.execPath, [program, ...args], this.#surroundings)
    const exit = await run.exit
    if (exit !== 0) throw new Error(`${args[0]} ended with ${exit}: ${run.stdout}${run.stderr}`)
  }

  async kill(): Promise<void> {
    this.#expectEnd = true
    this.#process?.signal('SIGKILL')
    await this.#process?.exit
  }

  /** Asks for an end in order. @returns how it ended */
  async terminate() {
    this.#expectEnd = true
    this.#process?.signal('SIGTERM')
    return this.#process?.exit
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  /** Megabytes of resident memory. */
  memory(): number {
    return memoryOf(this.pid).now ?? Number.NaN
  }

  openFiles(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length
  }
}
