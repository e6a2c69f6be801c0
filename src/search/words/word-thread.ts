import { workerScript } from '../../concurrency/worker-script.ts'
import { WorkerThread } from '../../concurrency/worker-thread.ts'
import { readAnew } from './refusals.ts'
import type { WordMessage, WordReply } from './thread.ts'

/** The thread that holds the indexes of words. It starts when it is first asked, and again after its end. */
export class WordThread {
  readonly #heapMb: number
  readonly #ended: () => void
  #running: WorkerThread<WordMessage, WordReply> | undefined

  /**
   * @param maxBytes of all indexes
   * @param ended called when the indexes are lost
   */
  constructor(maxBytes: number, ended: () => void) {
    this.#heapMb = 256 + Math.ceil((2 * maxBytes) / 2 ** 20)
    this.#ended = ended
  }

  /** @throws 503 if the thread ends */
  ask(message: WordMessage): Promise<WordReply> {
    return this.#thread()
      .ask(message)
      .catch((error) => {
        throw readAnew(error)
      })
  }

  tell(message: WordMessage): void {
    if (this.#running?.alive) this.#running.tell(message)
  }

  #thread(): WorkerThread<WordMessage, WordReply> {
    if (this.#running?.alive) return this.#running
    const thread = new WorkerThread<WordMessage, WordReply>(
      workerScript(import.meta.url, './worker.ts'),
      { resourceLimits: { maxOldGenerationSizeMb: this.#heapMb } },
    )
    void thread.exit.then(() => {
      if (this.#running === thread) this.#ended()
    })
    this.#running = thread
    return thread
  }
}
