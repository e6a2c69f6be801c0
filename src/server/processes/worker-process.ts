import cluster from 'node:cluster'
import type { Config } from '../../config/config.ts'

/**
 * Messages from a worker to the primary process, which answers `started` with the configuration.
 */
export type FromWorker =
  | { readonly is: 'started' }
  | { readonly is: 'listening'; readonly url: string }
  /** The message of a StartupError. */
  | { readonly is: 'refused'; readonly reason: string }

export interface Ending {
  /** How it ended, in words. */
  readonly how: string
  /** Why it refused to start, if it said so. */
  readonly refusal: string | undefined
}

/** @param why the system's reason */
export const unstarted = (why: string): Ending => ({
  how: `could not be started (${why})`,
  refusal: undefined,
})

/** One of the processes that serve, as the primary process knows it. */
export class WorkerProcess {
  /** The URL where it listens; never rejects. */
  readonly listening: Promise<string>
  readonly ended: Promise<Ending>
  readonly #worker = cluster.fork()

  /** @param config includes the keys; only the two processes can read the channel between them */
  constructor(config: Config) {
    let refusal: string | undefined
    this.ended = new Promise((resolve) => {
      this.#worker.on('error', ({ message }) => {
        // A process that never started has no `exit`. Other errors are of messages to an ended one.
        if (this.pid === undefined) resolve(unstarted(message))
      })
      this.#worker.once('exit', (code, signal) => {
        const how = signal ? `ended by ${signal}` : `ended with exit code ${code}`
        resolve({ how, refusal })
      })
    })
    this.listening = new Promise((resolve) => {
      this.#worker.on('message', (message: FromWorker) => {
        if (message.is === 'listening') resolve(message.url)
        else if (message.is === 'refused') refusal = message.reason
        else if (this.#worker.isConnected()) this.#worker.send(config, () => {})
      })
    })
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    this.#worker.process.kill(name)
  }
}
