import { Limiter, type LimiterOptions, type Requester } from './limiter.ts'
import type { TaskOptions, WorkerThread } from './worker-thread.ts'

interface PoolTaskOptions extends TaskOptions {
  /**
   * Which of the idle threads is asked. A caller that sends the tasks that are likely to end their
   * thread to the last one leaves the first with what it has cached.
   */
  readonly thread?: 'first' | 'last'
  /** Who shares the threads fairly with other tenants; without one it is the service itself. */
  readonly requester?: Requester
}

/** Worker threads of one kind: started when they are needed, kept, and replaced when they end. */
export class ThreadPool<Request, Reply> {
  readonly #start: () => WorkerThread<Request, Reply>
  readonly #limiter: Limiter
  readonly #threads: (WorkerThread<Request, Reply> | undefined)[]

  /** `maxConcurrent` is the number of threads. */
  constructor(limits: LimiterOptions, start: () => WorkerThread<Request, Reply>) {
    this.#start = start
    this.#limiter = new Limiter(limits)
    this.#threads = new Array(limits.maxConcurrent).fill(undefined)
  }

  /** @throws 503 when the queue is full or takes too long, ThreadEnded when the thread ends first */
  ask(
    request: Request,
    { thread = 'first', requester, ...options }: PoolTaskOptions = {},
  ): Promise<Reply> {
    return this.#limiter.run(() => this.#idleThread(thread).ask(request, options), requester)
  }

  /** There is one: the limiter runs no more tasks than there are threads. */
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
