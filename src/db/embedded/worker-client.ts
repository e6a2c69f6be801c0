import { Worker } from 'node:worker_threads'
import { unavailable } from '../../errors.ts'
import type { Failure, Reply, Request } from './worker.js'

/** An error that the embedded engine reported: with its SQLSTATE, named as postgres.js names it. */
export class EngineError extends Error {
  readonly code: string | undefined
  readonly constraint_name: string | undefined
  readonly detail: string | undefined

  constructor({ message, code, constraint, detail }: Failure) {
    super(message)
    this.code = code
    this.constraint_name = constraint
    this.detail = detail
  }
}

/** A first start on a busy machine takes up to a minute. */
const startWithinMs = 180_000

type Rows = unknown[]
interface Waiting {
  readonly resolve: (reply: { rows: Rows; affectedRows: number }) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

const restarted = (cause?: unknown) =>
  unavailable('The embedded database was restarted; try again', cause)

/** One life of the worker thread: answers requests until it dies, is closed or overruns a deadline. */
export class WorkerClient {
  readonly ready: Promise<void>
  readonly #exit: Promise<true>
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #deadlineMs: number
  readonly #starting: NodeJS.Timeout
  #lastId = 0
  #dead: Error | undefined

  constructor(dataDir: string | undefined, deadlineMs: number) {
    this.#deadlineMs = deadlineMs
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: { dataDir },
      // A deep stack and max_stack_depth make PostgreSQL report what would else be swallowed.
      resourceLimits: { stackSizeMb: 16 },
    })
    this.#starting = setTimeout(() => this.terminate(), startWithinMs)
    this.ready = new Promise((resolve, reject) => {
      this.#worker.once('message', () => {
        clearTimeout(this.#starting)
        resolve()
      })
      this.#worker.once('error', (error) => reject(restarted(error)))
      this.#worker.once('exit', () => reject(restarted()))
    })
    this.#exit = new Promise((resolve) => this.#worker.once('exit', () => resolve(true)))
    this.#worker.on('message', (reply: Reply | 'ready') => {
      if (reply !== 'ready') this.#settle(reply)
    })
    this.#worker.on('error', (error) => this.terminate(error))
    this.#worker.on('exit', () => this.#die())
  }

  get alive(): boolean {
    return this.#dead === undefined
  }

  query(
    text: string,
    params: unknown[],
    rowMode: 'array' | 'object',
    blob?: Uint8Array<ArrayBuffer>,
  ) {
    return new Promise<{ rows: Rows; affectedRows: number }>((resolve, reject) => {
      if (this.#dead !== undefined) return reject(this.#dead)
      const id = ++this.#lastId
      const timer = setTimeout(() => this.terminate(), this.#deadlineMs)
      this.#waiting.set(id, { resolve, reject, timer })
      const request: Request = { id, text, params, rowMode, blob }
      this.#worker.postMessage(request, blob === undefined ? [] : [blob.buffer])
    })
  }

  /**
   * Ends the engine in order, or by force when it does not end in time.
   * @returns whether it has ended
   */
  async close(withinMs: number): Promise<boolean> {
    if (this.alive) {
      this.#worker.postMessage('close')
      if (await this.hasEnded(withinMs)) return true
      this.terminate()
    }
    return this.hasEnded(withinMs)
  }

  /** Bun ends a thread only when it leaves WebAssembly, for example to read a page. */
  terminate(cause?: unknown): void {
    this.#die(cause)
    void this.#worker.terminate()
  }

  /** Whether the thread has ended, and with it all that it does to its files, or does so in time. */
  async hasEnded(withinMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, withinMs, false)
    })
    const ended = await Promise.race([this.#exit, late])
    clearTimeout(timer)
    return ended
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id)
    if (waiting === undefined) return
    this.#waiting.delete(reply.id)
    clearTimeout(waiting.timer)
    if ('failure' in reply) {
      waiting.reject(new EngineError(reply.failure))
      // Without a SQLSTATE the engine itself failed (a WASM trap): it cannot be trusted further.
      if (reply.failure.code === undefined) this.terminate()
    } else {
      waiting.resolve({ rows: reply.rows, affectedRows: reply.affectedRows })
    }
  }

  #die(cause?: unknown): void {
    if (this.#dead !== undefined) return
    this.#dead = restarted(cause)
    clearTimeout(this.#starting)
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer)
      reject(this.#dead)
    }
    this.#waiting.clear()
  }
}
