import cluster, { type Worker } from 'node:cluster'
import { countOfThisProcess, type RequestCounter } from '../../concurrency/request-counter.ts'
import type { Config } from '../../config/config.ts'
import type { OwnFigures, Siblings } from '../../service/siblings.ts'
import type { FromPrimary, FromWorker } from './messages.ts'
import { OpenQuestions } from './open-questions.ts'

/** More than the primary process takes to ask the others. */
const figuresWithinMs = 3_000
const leaveWithinMs = 1_000

/** The primary process, as one of those that serve knows it. */
export class Primary implements Siblings {
  readonly #worker: Worker
  readonly #figures = new OpenQuestions<readonly OwnFigures[]>(figuresWithinMs)
  readonly #leave = new OpenQuestions<{ readonly waitMs?: number }>(leaveWithinMs)
  #own: (() => Promise<OwnFigures>) | undefined

  /** Resolves when it has ended, or has let go of this process. */
  readonly gone: Promise<undefined>
  /** What it was started with: a changed file or environment must not make the processes differ. */
  readonly settings: Promise<Config>

  constructor() {
    if (cluster.worker === undefined) throw new Error('the primary process starts this one')
    this.#worker = cluster.worker
    this.gone = new Promise((resolve) => {
      this.#worker.once('disconnect', () => {
        // Or Node would exit at once, with requests in flight.
        this.#worker.exitedAfterDisconnect = true
        resolve(undefined)
      })
    })
    this.settings = new Promise((resolve) => {
      this.#worker.on('message', (message: FromPrimary) => {
        if (message.is === 'settings') resolve(message.config)
        else void this.#hear(message)
      })
    })
    this.#tell({ is: 'started' })
  }

  listening(url: string): void {
    this.#tell({ is: 'listening', url })
  }

  /** @returns once it is told, or cannot be */
  refused(reason: string): Promise<void> {
    return new Promise((resolve) => this.#tell({ is: 'refused', reason }, resolve))
  }

  async figures(): Promise<readonly OwnFigures[]> {
    return (await this.#figures.ask((id) => this.#tell({ is: 'figures wanted', id }))) ?? []
  }

  answerWith(own: () => Promise<OwnFigures>): void {
    this.#own = own
  }

  /** It counts by itself where the primary process does not answer. */
  requestCounter(perMinute: number): RequestCounter {
    const own = countOfThisProcess(perMinute)
    return {
      take: async (userId) => {
        const leave = await this.#leave.ask((id) => this.#tell({ is: 'request', id, userId }))
        return leave === undefined ? own.take(userId) : leave.waitMs
      },
    }
  }

  async #hear(message: Exclude<FromPrimary, { is: 'settings' }>): Promise<void> {
    switch (message.is) {
      case 'figures':
        return this.#figures.answered(message.id, message.figures)
      case 'leave':
        return this.#leave.answered(message.id, message)
      case 'own figures wanted': {
        const figures = await this.#own?.()
        if (figures !== undefined) this.#tell({ is: 'own figures', id: message.id, figures })
      }
    }
  }

  /** @returns whether it can be told */
  #tell(message: FromWorker, told: () => void = () => {}): boolean {
    const isThere = this.#worker.isConnected()
    if (isThere) this.#worker.send(message, told)
    else told()
    return isThere
  }
}
