import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../shared/ports.ts'
import { within } from '../shared/time.ts'
import { Program, type Runtime } from '../support/servers/program.ts'

/** The program as `npm run build` made it. */
const program = fileURLToPath(new URL('../../../../../dist/main.js', import.meta.url))
/** A first start takes long where others work beside it; this is against one that hangs. */
const startMs = 300_000

export const adminKey = 'the-administrators-key-of-the-torture'

export type Settings = Readonly<Record<string, string>>

/** The server that is tortured: one process after another, on one port, with the same settings. */
export class Service {
  readonly url: string
  /** Where it runs, and its embedded database is. */
  readonly folder: string
  readonly #runtime: Runtime
  readonly #env: Settings
  readonly #log: string
  #process: Program | undefined
  #expectEnd = false
  /** Called when the process ends without having been told to. */
  onCrash: (output: string) => void = () => {}

  private constructor(runtime: Runtime, place: string, env: Settings, port: number) {
    this.#runtime = runtime
    this.folder = join(place, 'site')
    this.#log = join(place, 'server.log')
    this.#env = env
    this.url = `http://127.0.0.1:${port}`
    mkdirSync(this.folder, { recursive: true })
  }

  /** @param place a folder for its own folder and its log */
  static async create(runtime: Runtime, place: string, settings: Settings): Promise<Service> {
    const port = await freePort()
    const env = {
      SERVICE_HOST: '127.0.0.1',
      SERVICE_PORT: `${port}`,
      SERVICE_DEBUG: 'false',
      SERVICE_ADMINKEY: adminKey,
      ENCRYPTION_KEY: 'the-encryption-key-of-the-torture-32+',
      ...settings,
    }
    return new Service(runtime, place, env, port)
  }

  /** Begins to start. @returns its process, which may not yet be listening */
  spawn(): Program {
    if (this.#runtime.command === undefined) throw new Error('there is no bun on PATH')
    const started = this.#run(this.#runtime.command, ['serve'])
    this.#process = started
    this.#expectEnd = false
    void started.exit.then((exit) => {
      appendFileSync(this.#log, `--- ended with ${exit}\n${started.stdout}${started.stderr}`)
      if (!this.#expectEnd) this.onCrash(`ended with ${exit}: ${started.stderr.slice(-2_000)}`)
    })
    return started
  }

  #run(command: string, args: readonly string[]): Program {
    return new Program(command, [program, ...args], { folder: this.folder, env: this.#env })
  }

  async start(): Promise<void> {
    const listening = this.spawn().said(/is listening on (http\S+) /)
    await within(listening, startMs, 'the start of the server')
  }

  /** Another command of the program, with the same settings. @throws with what it printed when it fails */
  async run(args: readonly string[]): Promise<void> {
    const run = this.#run(process.execPath, args)
    const exit = await run.exit
    if (exit !== 0) throw new Error(`${args[0]} ended with ${exit}: ${run.stdout}${run.stderr}`)
  }

  /** @returns how it ended */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | string | null | undefined> {
    this.#expectEnd = true
    this.#process?.signal(signal)
    return this.#process?.exit
  }

  /** What the last process has logged. */
  get said(): string {
    return this.#process?.stderr ?? ''
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }
}
