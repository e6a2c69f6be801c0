import { Limiter, type LimiterOptions, type Requester } from './limiter.ts'
import type { TaskOptions, WorkerThread } from './worker-thread.ts'

interface PoolTaskOptions extends TaskOptions {
  /**
   * Which of the idle threads gets the task. A caller can send tasks that are likely to end their
   * thread to the last one, so that the first one keeps what it has cached.
   */
  readonly thread?: 'first' | 'last'
  /** Whose share of the threads the task uses. Without a requester it is the service's own. */
  readonly requester?: Requester
}

/** Worker threads of one kind: started when needed, kept, and replaced when they end. */
export class ThreadPool<Request, Reply> {
  readonly #start: () => WorkerThread<Request, Reply>
  readonly #limiter: Limiter
  readonly #threads: (WorkerThread<Request, Reply> | undefined)[]

  /** @param limits `maxConcurrent` is the number of threads */
  constructor(limits: LimiterOptions, start: () => WorkerThread<Request, Reply>) {
    this.#start = start
    this.#limiter = new Limiter(limits)
    this.#threads = new Array(limits.maxConcurrent).fill(undefined)
  }

  /** @throws 503 if the queue is full or takes too long, ThreadEnded if the thread ends first */
  ask(
    request: Request,
    { thread = 'first', requester, ...options }: PoolTaskOptions = {},
  ): Promise<Reply> {
    return this.#limiter.run(() => this.#idleThread(thread).ask(request, options), requester)
  }

  /** There is always one: the limiter runs no more tasks than there are threads. */
  #idleThread(which: 'first' | 'last'): WorkerThread<Request, Reply> {
    const isIdle = (thread?: WorkerThread<Request, Reply>) => !thread?.alive || !thread.busy
    const index =
      which === 'first' ? this.#threads.findIndex(isIdle) : this.#threads.findLastIndex(isIdle)
    const idle = this.#threads[index]
    if (idle?.alive) return idle
    const started = this.#start()
    this.#threads[index] = started
    return started
  }
}
