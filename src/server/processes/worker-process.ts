import cluster from 'node:cluster'
import type { Config } from '../../config/config.ts'

/** What a worker tells the primary process, which answers `started` with the configuration. */
export type FromWorker =
  | { readonly is: 'started' }
  | { readonly is: 'listening'; readonly url: string }
  /** The message of a StartupError. */
  | { readonly is: 'refused'; readonly reason: string }

export interface Ending {
  /** In words. */
  readonly how: string
  /** Why it would not start, where it has said so. */
  readonly refusal: string | undefined
}

/** @param why the system has let there be none */
export const unstarted = (why: string): Ending => ({
  how: `could not be started (${why})`,
  refusal: undefined,
})

/** One of the processes that serve, as the primary process knows it. */
export class WorkerProcess {
  /** Where it listens, once it does; never rejects. */
  readonly listening: Promise<string>
  readonly ended: Promise<Ending>
  readonly #worker = cluster.fork()

  /** @param config with its keys: what joins the two processes is open to nobody else */
  constructor(config: Config) {
    let refusal: string | undefined
    this.ended = new Promise((resolve) => {
      this.#worker.on('error', ({ message }) => {
        // Of one that was never there no end is told. Other errors are of what is sent to one that has ended.
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
