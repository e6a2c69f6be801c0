import cluster, { type Worker } from 'node:cluster'
import type { Config } from '../../config/config.ts'
import type { OwnFigures } from '../../service/siblings.ts'
import type { FromPrimary, FromWorker } from './messages.ts'
import { OpenQuestions } from './open-questions.ts'

/**
 * A process that does not tell its figures by then is left out. It tells them without those of the database when
 * that has been silent for 2 s.
 */
const figuresWithinMs = 2_500

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

/** What a worker may ask of the primary process. */
export interface Helpers {
  figuresOfOthers(asker: WorkerProcess): Promise<readonly OwnFigures[]>
  /** @returns milliseconds to wait, if any */
  countRequest(userId: number): Promise<number | undefined>
}

/** One of the processes that serve, as the primary process knows it. */
export class WorkerProcess {
  /** Where it listens, once it does; never rejects. */
  readonly listening: Promise<string>
  readonly ended: Promise<Ending>
  readonly #worker: Worker
  readonly #figures = new OpenQuestions<OwnFigures>(figuresWithinMs)
  #refusal: string | undefined
  #isListening = false

  constructor(config: Config, helpers: Helpers) {
    this.#worker = cluster.fork()
    this.ended = new Promise((resolve) => {
      this.#worker.on('error', ({ message }) => {
        // Of one that was never there no end is told. Other errors are of what is sent to one that has ended.
        if (this.pid === undefined) resolve(unstarted(message))
      })
      this.#worker.once('exit', (code, signal) => {
        const how = signal ? `ended by ${signal}` : `ended with exit code ${code}`
        resolve({ how, refusal: this.#refusal })
      })
    })
    this.listening = new Promise((resolve) => {
      this.#worker.on('message', (message: FromWorker) => {
        if (message.is === 'listening') {
          this.#isListening = true
          resolve(message.url)
        } else void this.#hear(message, config, helpers)
      })
    })
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  get isListening(): boolean {
    return this.#isListening && !this.#worker.isDead()
  }

  figures(): Promise<OwnFigures | undefined> {
    return this.#figures.ask((id) => this.#tell({ is: 'own figures wanted', id }))
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    this.#worker.process.kill(name)
  }

  async #hear(
    message: Exclude<FromWorker, { is: 'listening' }>,
    config: Config,
    helpers: Helpers,
  ): Promise<void> {
    switch (message.is) {
      case 'started':
        this.#tell({ is: 'settings', config })
        return
      case 'refused':
        this.#refusal = message.reason
        return
      case 'own figures':
        return this.#figures.answered(message.id, message.figures)
      case 'figures wanted':
        this.#tell({
          ...{ is: 'figures', id: message.id },
          figures: await helpers.figuresOfOthers(this),
        })
        return
      case 'request': {
        const waitMs = await helpers.countRequest(message.userId)
        this.#tell({ is: 'leave', id: message.id, ...(waitMs !== undefined && { waitMs }) })
      }
    }
  }

  /** @returns whether it can be told */
  #tell(message: FromPrimary): boolean {
    const isThere = this.#worker.isConnected()
    if (isThere) this.#worker.send(message, () => {})
    return isThere
  }
}
