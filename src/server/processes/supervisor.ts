import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { workerScript } from '../../concurrency/worker-script.ts'
import type { Config } from '../../config/config.ts'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { type Ending, unstarted, WorkerProcess } from './worker-process.ts'

/** The pause before a process is replaced. It doubles after each process that did not last. */
const pauseMs = { least: 100, most: 5_000 }
/** A process that ran for this long has lasted. */
const lastsMs = 30_000
/** Long enough for a process to end by itself, which takes at most 9 s. */
const stopMs = 9_400

/** Keeps a fixed number of processes serving. */
export class Supervisor {
  readonly #config: Config
  readonly #log: Log
  readonly #processes: (WorkerProcess | undefined)[]
  readonly #stopping = new AbortController()
  #hasStarted = false

  /** @param config the configuration of each process */
  constructor(config: Config, count: number, log: Log) {
    this.#config = config
    this.#log = log
    this.#processes = new Array(count).fill(undefined)
    const script = workerScript(import.meta.url, './worker.ts')
    cluster.setupPrimary({ exec: fileURLToPath(script), args: [] })
  }

  /**
   * @returns the URL, once all processes listen
   * @throws StartupError if one of them does not
   */
  async start(): Promise<string> {
    const slots = [...this.#processes.keys()]
    const first = slots.map((slot) => this.#begin(slot))
    const failed = new Promise<never>((_, reject) => {
      for (const slot of slots) {
        void this.#keep(slot).catch(reject)
      }
    })
    const urls = await Promise.race([Promise.all(first.map((one) => one.listening)), failed])
    this.#hasStarted = true
    return urls[0] ?? ''
  }

  /** Lets all processes finish their work, then kills those that hang. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const running = this.#processes.filter((each) => each !== undefined)
    for (const each of running) each.signal('SIGTERM')
    const all = Promise.all(running.map(({ ended }) => ended))
    await Promise.race([all, sleep(stopMs, undefined, { ref: false })])
    for (const each of running) each.signal('SIGKILL')
    await all
  }

  #begin(slot: number): WorkerProcess {
    const begun = new WorkerProcess(this.#config)
    this.#processes[slot] = begun
    return begun
  }

  /** @throws StartupError if one ends before all of them have listened */
  async #keep(slot: number): Promise<void> {
    const { signal } = this.#stopping
    for (let pause = pauseMs.least; ; pause = Math.min(2 * pause, pauseMs.most)) {
      const since = performance.now()
      const { pid, ...ending } = await this.#endOf(slot)
      this.#processes[slot] = undefined
      if (signal.aborted) return
      if (!this.#hasStarted) throw failedStart(ending)
      if (performance.now() - since >= lastsMs) pause = pauseMs.least
      const { how, refusal } = ending
      const why = refusal === undefined ? '' : `: ${refusal}`
      const which = pid === undefined ? '' : ` ${pid}`
      this.#log.warn(`worker process${which} ${how}${why}; the next begins in ${pause} ms`)
      await sleep(pause, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
    }
  }

  /** Waits for the end of the slot's current process, or of a new one. */
  async #endOf(slot: number): Promise<Ending & { readonly pid: number | undefined }> {
    try {
      const current = this.#processes[slot] ?? this.#begin(slot)
      return { ...(await current.ended), pid: current.pid }
    } catch (error) {
      return { ...unstarted(error instanceof Error ? error.message : `${error}`), pid: undefined }
    }
  }
}

const failedStart = ({ how, refusal }: Ending) =>
  new StartupError(refusal ?? `a worker process ${how} during the start`)
