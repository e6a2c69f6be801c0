import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { workerScript } from '../../concurrency/worker-script.ts'
import type { Config } from '../../config/config.ts'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'

/** The pause before a process is replaced. */
const pauseMs = 1_000
/** Long enough for a process to end by itself, which takes at most 9 s. */
const stopMs = 9_400

/**
 * Messages from a worker to the primary process, which answers `started` with the configuration.
 */
export type FromWorker =
  | { readonly is: 'started' }
  | { readonly is: 'listening'; readonly url: string }
  /** The message of a StartupError. */
  | { readonly is: 'refused'; readonly reason: string }

interface Ending {
  readonly pid?: number | undefined
  /** How it ended, in words. */
  readonly how: string
  /** Why it refused to start, if it said so. */
  readonly refusal?: string | undefined
}

/** Keeps a fixed number of processes serving. */
export class Supervisor {
  readonly #config: Config
  readonly #count: number
  readonly #log: Log
  readonly #running = new Set<Worker>()
  readonly #stopping = new AbortController()
  /** Each ends when its last process has ended during the stop, or fails during the start. */
  readonly #kept: Promise<void>[] = []
  #hasStarted = false

  /**
   * @param config the configuration of each process, including the keys; only the two processes
   *   can read the channel between them
   */
  constructor(config: Config, count: number, log: Log) {
    this.#config = config
    this.#count = count
    this.#log = log
    const script = workerScript(import.meta.url, './worker.ts')
    cluster.setupPrimary({ exec: fileURLToPath(script), args: [] })
  }

  /**
   * @returns the URL, once all processes listen
   * @throws StartupError if one of them ends before that
   */
  async start(): Promise<string> {
    const listening = Array.from(
      { length: this.#count },
      () =>
        new Promise<string>((resolve, reject) => {
          const kept = this.#keep(resolve)
          kept.catch(reject)
          this.#kept.push(kept)
        }),
    )
    const [url = ''] = await Promise.all(listening)
    this.#hasStarted = true
    return url
  }

  /** Lets all processes finish their work, then kills those that hang. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const ended = Promise.allSettled(this.#kept)
    for (const worker of this.#running) worker.process.kill('SIGTERM')
    await Promise.race([ended, sleep(stopMs, undefined, { ref: false })])
    for (const worker of this.#running) worker.process.kill('SIGKILL')
    await ended
  }

  /**
   * Runs one process after another until the stop.
   * @param listens is called with the URL whenever one listens
   * @throws StartupError if one ends before all of them have listened
   */
  async #keep(listens: (url: string) => void): Promise<void> {
    const { signal } = this.#stopping
    for (;;) {
      const { pid, how, refusal } = await this.#run(listens)
      if (signal.aborted) return
      if (!this.#hasStarted) {
        throw new StartupError(refusal ?? `a worker process ${how} during the start`)
      }
      const why = refusal === undefined ? '' : `: ${refusal}`
      const which = pid === undefined ? '' : ` ${pid}`
      this.#log.warn(`worker process${which} ${how}${why}; the next begins in ${pauseMs} ms`)
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
    }
  }

  /** Runs one process to its end; never rejects. */
  async #run(listens: (url: string) => void): Promise<Ending> {
    let worker: Worker
    try {
      worker = cluster.fork()
    } catch (error) {
      return unstarted(error)
    }
    this.#running.add(worker)
    let refusal: string | undefined
    worker.on('message', (message: FromWorker) => {
      if (message.is === 'listening') listens(message.url)
      else if (message.is === 'refused') refusal = message.reason
      else if (worker.isConnected()) worker.send(this.#config, () => {})
    })
    const ending = await new Promise<Ending>((resolve) => {
      worker.on('error', (error) => {
        // A process that never started has no `exit`. Other errors are of messages to an ended one.
        if (worker.process.pid === undefined) resolve(unstarted(error))
      })
      worker.once('exit', (code, signal) => {
        const how = signal ? `ended by ${signal}` : `ended with exit code ${code}`
        resolve({ pid: worker.process.pid, how, refusal })
      })
    })
    this.#running.delete(worker)
    return ending
  }
}

const unstarted = (error: unknown): Ending => ({
  how: `could not be started (${error instanceof Error ? error.message : error})`,
})
