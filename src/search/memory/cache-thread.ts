import { Worker } from 'node:worker_threads'
import { workerScript } from '../../concurrency/worker-script.ts'
import type { CacheMessage, CacheOptions, CacheReply, Question } from './messages.ts'

type Notification = Exclude<CacheMessage, { readonly do: 'candidates' }>

/** The worker thread that caches vectors. It starts on first use, and again after it has ended. */
export class CacheThread {
  readonly #options: CacheOptions
  readonly #ended: () => void
  readonly #pending = new Map<number, (found: CacheReply['found']) => void>()
  #worker: Worker | undefined
  #lastId = 0

  /** @param ended is called when the thread has ended and its cache is lost */
  constructor(options: CacheOptions, ended: () => void) {
    this.#options = options
    this.#ended = ended
  }

  ask(question: Question): Promise<CacheReply['found']> {
    return new Promise((resolve) => {
      this.#lastId += 1
      this.#pending.set(this.#lastId, resolve)
      this.#post({ do: 'candidates', id: this.#lastId, ...question })
    })
  }

  tell(message: Notification): void {
    // If the thread has ended, there is nothing left to drop.
    if (message.do === 'drop' && this.#worker === undefined) return
    this.#post(message)
  }

  #post(message: CacheMessage): void {
    this.#worker ??= this.#start()
    this.#worker.postMessage(message)
  }

  #start(): Worker {
    const script = workerScript(import.meta.url, './worker.ts')
    const worker = new Worker(script, { workerData: this.#options })
    // A request that waits for an answer keeps the process alive; the thread need not.
    worker.unref()
    worker.on('message', ({ id, found }: CacheReply) => {
      this.#pending.get(id)?.(found)
      this.#pending.delete(id)
    })
    const end = () => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      for (const resolve of this.#pending.values()) resolve('gone')
      this.#pending.clear()
      this.#ended()
    }
    worker.on('error', end)
    worker.on('exit', end)
    return worker
  }
}
