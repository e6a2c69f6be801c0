import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads'
import { Budget, type BudgetTerms } from './cpu-budget.ts'

/**
 * Why a thread ended that had not answered yet; starved: the machine was too busy to let it spend
 * its time.
 */
type Reason = 'time' | 'starved' | 'memory' | 'failure'

export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
  readonly reason: Reason

  constructor(reason: Reason, cause?: unknown) {
    super(`The worker thread ended: ${reason}`, { cause })
    this.reason = reason
  }
}

export interface Terms {
  readonly transfer?: readonly Transferable[]
  /** The thread is ended when it has not answered within it; its start does not count. */
  readonly budget?: BudgetTerms
}

interface Task<Reply> {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: ThreadEnded) => void
  readonly budget: BudgetTerms | undefined
}

/** What a thread posts when it is ready: where its processor time is counted, if it has a budget. */
export type Ready = 'ready' | { readonly statFile: string | undefined }

/**
 * One life of a worker thread, which posts that it is ready and then one reply to each request, one
 * at a time. Idle it keeps no process alive.
 */
export class WorkerThread<Request, Reply> {
  alive = true
  readonly #worker: Worker
  #ready: Ready | undefined
  #task: Task<Reply> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(script: URL, resourceLimits: ResourceLimits = {}) {
    this.#worker = new Worker(script, { resourceLimits })
    this.#worker.once('message', (ready: Ready) => {
      this.#ready = ready
      this.#worker.on('message', (reply: Reply) => this.#finish((task) => task.resolve(reply)))
      this.#startClock()
    })
    this.#worker.on('error', (cause) =>
      this.#end(isOutOfMemory(cause) ? 'memory' : 'failure', cause),
    )
    for (const event of ['messageerror', 'exit']) {
      this.#worker.on(event, (cause) => this.#end('failure', cause))
    }
  }

  get busy(): boolean {
    return this.#task !== undefined
  }

  /** @throws ThreadEnded when the thread ends before it has answered */
  ask(request: Request, { transfer = [], budget }: Terms = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#worker.postMessage(request, [...transfer])
      this.#worker.ref()
      this.#task = { resolve, reject, budget }
      this.#startClock()
    })
  }

  #startClock(): void {
    const task = this.#task
    if (this.#ready === undefined || task?.budget === undefined) return
    const statFile = this.#ready === 'ready' ? undefined : this.#ready.statFile
    this.#watch(task, new Budget(task.budget, statFile))
  }

  #watch(task: Task<Reply>, budget: Budget, inMs = task.budget?.budgetMs): void {
    this.#timer = setTimeout(() => {
      // After a long pause of this thread the timer is seen before a reply that came in time.
      setImmediate(() => {
        if (this.#task !== task) return
        const verdict = budget.look()
        if (typeof verdict === 'number') this.#watch(task, budget, verdict)
        else this.#end(verdict)
      })
    }, inMs)
  }

  #finish(settle: (task: Task<Reply>) => void): void {
    clearTimeout(this.#timer)
    const task = this.#task
    this.#task = undefined
    this.#worker.unref()
    if (task !== undefined) settle(task)
  }

  #end(reason: Reason, cause?: unknown): void {
    this.alive = false
    this.#finish((task) => task.reject(new ThreadEnded(reason, cause)))
    void this.#worker.terminate()
  }
}

const isOutOfMemory = (cause: unknown) =>
  Reflect.get(Object(cause), 'code') === 'ERR_WORKER_OUT_OF_MEMORY'
