// No library's pool counts processor time (tried with Node 20 and Bun 1.4). With piscina 5.3.2, the
// budget, the fair queue and the choice of a thread would still be ours, and a task waits forever
// if its thread does not start. workerpool 10.0.3 never answers on Bun. On Node its idle threads
// keep the process alive, and a thread that runs out of memory ends without an error code.
import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads'
import { type CpuBudget, CpuBudgetMeter } from './cpu-budget.ts'
import type { Ready } from './serve-requests.ts'

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
  readonly budget?: CpuBudget
}

interface Task<Reply> {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: ThreadEnded) => void
  readonly budget: CpuBudget | undefined
}

/**
 * A worker thread, from its start to its end. Its script calls `serveRequests`. It takes one
 * request at a time, and does not keep the process alive while it has none.
 */
export class WorkerThread<Request, Reply> {
  readonly #worker: Worker
  #ready: Ready | undefined
  #task: Task<Reply> | undefined
  #timer: NodeJS.Timeout | undefined
  #ended: ThreadEnded | undefined

  constructor(script: URL, resourceLimits: ResourceLimits = {}) {
    this.#worker = new Worker(script, { resourceLimits })
    this.#worker.once('message', (ready: Ready) => {
      this.#ready = ready
      this.#worker.on('message', (reply: Reply) => this.#finish((task) => task.resolve(reply)))
      this.#startBudget()
    })
    this.#worker.on('error', (cause) =>
      this.#end(isOutOfMemory(cause) ? 'memory' : 'failure', cause),
    )
    for (const event of ['messageerror', 'exit']) {
      this.#worker.on(event, (cause) => this.#end('failure', cause))
    }
  }

  get alive(): boolean {
    return this.#ended === undefined
  }

  get busy(): boolean {
    return this.#task !== undefined
  }

  /** @throws ThreadEnded if the thread ends before it has answered, or had ended before */
  ask(request: Request, { transfer = [], budget }: TaskOptions = {}): Promise<Reply> {
    // An ended thread would never answer.
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      this.#worker.postMessage(request, [...transfer])
      this.#worker.ref()
      this.#task = { resolve, reject, budget }
      this.#startBudget()
    })
  }

  /** Ends the thread, whatever it is doing. */
  stop(): void {
    this.#end('stopped')
  }

  /** Starts once there is both a task with a budget and a thread that works on it. */
  #startBudget(): void {
    const task = this.#task
    if (this.#ready === undefined || task?.budget === undefined) return
    const { statFile } = this.#ready
    this.#checkBudgetIn(task.budget.cpuMs, task, new CpuBudgetMeter(task.budget, statFile))
  }

  #checkBudgetIn(ms: number, task: Task<Reply>, meter: CpuBudgetMeter): void {
    this.#timer = setTimeout(() => {
      // After a long pause of this thread, the timer fires before a reply in time is seen.
      setImmediate(() => {
        if (this.#task !== task) return
        const result = meter.check()
        if (typeof result === 'number') this.#checkBudgetIn(result, task, meter)
        else this.#end(result)
      })
    }, ms)
  }

  #finish(settle: (task: Task<Reply>) => void): void {
    clearTimeout(this.#timer)
    const task = this.#task
    this.#task = undefined
    this.#worker.unref()
    if (task !== undefined) settle(task)
  }

  #end(reason: Reason, cause?: unknown): void {
    this.#ended ??= new ThreadEnded(reason, cause)
    const ended = this.#ended
    this.#finish((task) => task.reject(ended))
    void this.#worker.terminate()
  }
}

const isOutOfMemory = (cause: unknown) =>
  Reflect.get(Object(cause), 'code') === 'ERR_WORKER_OUT_OF_MEMORY'
