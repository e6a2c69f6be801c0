import { Limiter, type LimiterOptions, type Requester } from './limiter.ts'
import type { Terms, WorkerThread } from './worker-thread.ts'

type Thread<Request, Reply> = WorkerThread<Request, Reply>

/** Worker threads of one kind; started when they are needed, and then kept. */
export class ThreadPool<Request, Reply> {
  readonly #start: () => Thread<Request, Reply>
  readonly #limiter: Limiter
  readonly #threads: (Thread<Request, Reply> | undefined)[]

  /** `maxConcurrent` is the number of threads. */
  constructor(limits: LimiterOptions, start: () => Thread<Request, Reply>) {
    this.#start = start
    this.#limiter = new Limiter(limits)
    this.#threads = new Array(limits.maxConcurrent).fill(undefined)
  }

  /**
   * Asks the first idle thread, or the last one. Tenants take turns.
   * @throws 503 when too many are waiting, ThreadEnded when the thread ends before it has answered
   */
  ask(
    request: Request,
    terms: Terms = {},
    which: 'first' | 'last' = 'first',
    requester?: Requester,
  ): Promise<Reply> {
    return this.#limiter.run(() => this.#idle(which).ask(request, terms), requester)
  }

  #idle(which: 'first' | 'last'): Thread<Request, Reply> {
    const isIdle = (thread: Thread<Request, Reply> | undefined) => !thread?.alive || !thread.busy
    const place =
      which === 'first' ? this.#threads.findIndex(isIdle) : this.#threads.findLastIndex(isIdle)
    const found = this.#threads[place]
    if (found?.alive) return found
    const started = this.#start()
    this.#threads[place] = started
    return started
  }
}
