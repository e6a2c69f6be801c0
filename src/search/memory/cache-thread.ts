import { workerScript } from '../../concurrency/worker-script.ts'
import { WorkerThread } from '../../concurrency/worker-thread.ts'
import type { CacheMessage, CacheOptions, CacheReply, Question } from './messages.ts'

type Notification = Exclude<CacheMessage, { readonly do: 'candidates' }>

/** The worker thread that caches vectors. It starts on first use, and again after it has ended. */
export class CacheThread {
  readonly #options: CacheOptions
  readonly #ended: () => void
  #thread: WorkerThread<CacheMessage, CacheReply> | undefined

  /** @param ended is called when the thread has ended and its cache is lost */
  constructor(options: CacheOptions, ended: () => void) {
    this.#options = options
    this.#ended = ended
  }

  ask(question: Question): Promise<CacheReply> {
    return this.#running()
      .ask({ do: 'candidates', ...question })
      .catch(() => 'gone')
  }

  tell(message: Notification): void {
    // If the thread has ended, there is nothing left to drop.
    if (message.do === 'drop' && !this.#thread?.alive) return
    this.#running().tell(message)
  }

  #running(): WorkerThread<CacheMessage, CacheReply> {
    if (this.#thread?.alive) return this.#thread
    const script = workerScript(import.meta.url, './worker.ts')
    const { exactBudget } = this.#options
    const thread = new WorkerThread<CacheMessage, CacheReply>(script, {
      workerData: { exactBudget } satisfies CacheOptions,
    })
    void thread.exit.then(this.#ended)
    this.#thread = thread
    return thread
  }
}
