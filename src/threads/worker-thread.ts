import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads'

/** How a thread ended that had not answered yet. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
  readonly reason: 'time' | 'memory' | 'failure'

  constructor(reason: 'time' | 'memory' | 'failure', cause?: unknown) {
    super(`The worker thread ended: ${reason}`, { cause })
    this.reason = reason
  }
}

export interface Terms {
  readonly transfer?: readonly Transferable[]
  /** The thread is ended when it has not answered after this time; its start does not count. */
  readonly budgetMs?: number
}

interface Task<Reply> {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: ThreadEnded) => void
  readonly budgetMs: number | undefined
}

/**
 * One life of a worker thread, which posts 'ready' and then one reply to each request, one at a
 * time. Idle it keeps no process alive.
 */
export class WorkerThread<Request, Reply> {
  alive = true
  readonly #worker: Worker
  #ready = false
  #task: Task<Reply> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(script: URL, resourceLimits: ResourceLimits = {}) {
    this.#worker = new Worker(script, { resourceLimits })
    this.#worker.once('message', () => {
      this.#ready = true
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
  ask(request: Request, { transfer = [], budgetMs }: Terms = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#worker.postMessage(request, [...transfer])
      this.#worker.ref()
      this.#task = { resolve, reject, budgetMs }
      this.#startClock()
    })
  }

  #startClock(): void {
    const task = this.#task
    if (!this.#ready || task?.budgetMs === undefined) return
    this.#timer = setTimeout(() => {
      // After a long pause of this thread the timer is seen before a reply that came in time.
      setImmediate(() => {
        if (this.#task === task) this.#end('time')
      })
    }, task.budgetMs)
  }

  #finish(settle: (task: Task<Reply>) => void): void {
    clearTimeout(this.#timer)
    const task = this.#task
    this.#task = undefined
    this.#worker.unref()
    if (task !== undefined) settle(task)
  }

  #end(reason: ThreadEnded['reason'], cause?: unknown): void {
    this.alive = false
    this.#finish((task) => task.reject(new ThreadEnded(reason, cause)))
    void this.#worker.terminate()
  }
}

const isOutOfMemory = (cause: unknown) =>
  Reflect.get(Object(cause), 'code') === 'ERR_WORKER_OUT_OF_MEMORY'
