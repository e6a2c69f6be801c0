// No library's pool counts processor time (tried with Node 20 and Bun 1.4). With piscina 5.3.2, the
// budget, the fair queue and the choice of a thread would still be ours, and a task waits forever
// if its thread does not start. workerpool 10.0.3 never answers on Bun. On Node its idle threads
// keep the process alive, and a thread that runs out of memory ends without an error code.
import { type Transferable, Worker, type WorkerOptions } from 'node:worker_threads'
import { startMeter, type TaskBudget } from './cpu-time.ts'
import type { FromThread } from './serve-requests.ts'

/** Why a thread ended before it answered: it used up a limit, failed, or was stopped. */
type Reason = 'cpu-time' | 'timeout' | 'memory' | 'failure' | 'stopped'

export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
  readonly reason: Reason

  constructor(reason: Reason, cause?: unknown) {
    super(`The worker thread ended: ${reason}`, { cause })
    this.reason = reason
  }
}

export interface TaskOptions {
  /** The objects in the request that are transferred instead of copied. */
  readonly transfer?: readonly Transferable[]
  /** The thread is ended if it has not answered within this budget. Its start does not count. */
  readonly budget?: TaskBudget
}

interface ThreadOptions<Notice> extends Pick<WorkerOptions, 'resourceLimits' | 'workerData'> {
  /** Receives what the thread tells without being asked. */
  readonly heard?: (notice: Notice) => void
  /** Stops the thread when it fires. */
  readonly signal?: AbortSignal
}

interface Task<Reply> {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: ThreadEnded) => void
  readonly budget: TaskBudget | undefined
  timer?: NodeJS.Timeout
}

/**
 * A worker thread, from its start to its end. Its script calls `serveRequests`. Once it has
 * started, it keeps the process alive only while it has something to answer.
 */
export class WorkerThread<Request, Reply, Notice = never> {
  /** Resolves when the thread can take requests. @throws ThreadEnded if it ends before */
  readonly ready: Promise<void>
  /** Resolves when the thread, and with it all its work, has ended. */
  readonly exit: Promise<void>
  readonly #worker: Worker
  readonly #tasks = new Map<number, Task<Reply>>()
  #lastId = 0
  #statFile: string | undefined
  #isReady = false
  #ended: ThreadEnded | undefined
  /** What the thread failed with. What it sent before may still arrive, until it exits. */
  #failure: unknown

  constructor(script: URL, { heard, signal, ...options }: ThreadOptions<Notice> = {}) {
    this.#worker = new Worker(script, options)
    this.#worker.on('error', (cause) => {
      this.#failure = cause
    })
    this.#worker.on('messageerror', (cause) => this.#end('failure', cause))
    const stop = () => this.stop()
    signal?.addEventListener('abort', stop)
    this.exit = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        signal?.removeEventListener('abort', stop)
        this.#end(isOutOfMemory(this.#failure) ? 'memory' : 'failure', this.#failure)
        resolve()
      })
    })
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: FromThread<Reply, Notice>) => {
        if ('reply' in message) this.#settle(message.id, (task) => task.resolve(message.reply))
        else if ('notice' in message) heard?.(message.notice)
        else {
          this.#begin(message.ready.statFile)
          resolve()
        }
      })
      this.#worker.on('exit', () => reject(this.#ended))
    })
    // Not everybody waits for this.
    this.ready.catch(() => {})
    if (signal?.aborted) this.stop()
  }

  get alive(): boolean {
    return this.#ended === undefined
  }

  get busy(): boolean {
    return this.#tasks.size > 0
  }

  /** @throws ThreadEnded if the thread ends before it has answered, or had ended before */
  ask(request: Request, { transfer = [], budget }: TaskOptions = {}): Promise<Reply> {
    // An ended thread would never answer.
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      this.#lastId += 1
      this.#worker.postMessage({ id: this.#lastId, request }, [...transfer])
      this.#worker.ref()
      this.#tasks.set(this.#lastId, { resolve, reject, budget })
      if (this.#isReady) this.#startBudget(this.#lastId)
    })
  }

  /** Sends what is not answered. A thread that has ended hears nothing. */
  tell(request: Request): void {
    this.#worker.postMessage({ request })
  }

  /** Ends the thread, whatever it is doing. */
  stop(cause?: unknown): void {
    this.#end('stopped', cause)
  }

  #begin(statFile: string | undefined): void {
    this.#statFile = statFile
    this.#isReady = true
    for (const id of this.#tasks.keys()) this.#startBudget(id)
    if (!this.busy) this.#worker.unref()
  }

  /** Starts once there is both a task with a budget and a thread that works on it. */
  #startBudget(id: number): void {
    const budget = this.#tasks.get(id)?.budget
    if (budget === undefined) return
    const check = startMeter(budget, this.#statFile)
    this.#checkBudgetIn(budget.cpuMs ?? budget.timeoutMs, id, check)
  }

  #checkBudgetIn(ms: number, id: number, check: ReturnType<typeof startMeter>): void {
    const task = this.#tasks.get(id)
    if (task === undefined) return
    task.timer = setTimeout(() => {
      // After a long pause of this thread, the timer fires before a reply in time is seen.
      setImmediate(() => {
        if (!this.#tasks.has(id)) return
        const result = check()
        if (typeof result === 'number') this.#checkBudgetIn(result, id, check)
        else this.#end(result)
      })
    }, ms)
  }

  #settle(id: number, settle: (task: Task<Reply>) => void): void {
    const task = this.#tasks.get(id)
    if (task === undefined) return
    clearTimeout(task.timer)
    this.#tasks.delete(id)
    if (!this.busy) this.#worker.unref()
    settle(task)
  }

  #end(reason: Reason, cause?: unknown): void {
    this.#ended ??= new ThreadEnded(reason, cause)
    const ended = this.#ended
    for (const id of [...this.#tasks.keys()]) this.#settle(id, (task) => task.reject(ended))
    void this.#worker.terminate()
  }
}

const isOutOfMemory = (cause: unknown) =>
  Reflect.get(Object(cause), 'code') === 'ERR_WORKER_OUT_OF_MEMORY'
