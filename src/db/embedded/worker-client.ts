import { Worker } from 'node:worker_threads'
import { workerScript } from '../../concurrency/worker-script.ts'
import { unavailable } from '../../errors.ts'
import { NoRoom } from './disk-full.ts'
import type {
  EngineReply,
  EngineRequest,
  EngineResult,
  EngineStatement,
  Failure,
  WorkerOptions,
} from './messages.ts'

/** An error that the embedded engine reported, with the field names of postgres.js. */
class EngineError extends Error {
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
const startedTooLate = () => new Error(`it took more than ${startWithinMs / 1_000} s`)

interface Pending {
  readonly resolve: (result: EngineResult) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

const restarted = (cause?: unknown) =>
  cause instanceof NoRoom
    ? cause
    : unavailable('The embedded database was restarted; try again', cause)

const diskFullCode = '53100'
/** How long the engine may take to react to a full disk, because it may not answer at all. */
const answerWithinMs = 3_000

/** Without a SQLSTATE the engine itself failed (a WASM trap); after a PANIC it would hang. */
const isBroken = ({ code, severity }: Failure) =>
  code === undefined || severity === 'FATAL' || severity === 'PANIC'

/**
 * The thread that runs the engine, from its start to its end: it ends when it is closed, when it
 * fails, or when a statement overruns the deadline.
 */
export class WorkerClient {
  readonly ready: Promise<void>
  readonly #exit: Promise<true>
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  readonly #deadlineMs: number
  #starting: NodeJS.Timeout | undefined
  /** Runs from when there was no room for what the engine wrote until it answers. */
  #ending: NodeJS.Timeout | undefined
  #lastId = 0
  #endedBy: Error | undefined
  #error: Error | undefined

  constructor(workerData: WorkerOptions, deadlineMs: number) {
    this.#deadlineMs = deadlineMs
    this.#worker = new Worker(workerScript(import.meta.url, './worker.ts'), {
      workerData,
      // With a deep stack, max_stack_depth makes PostgreSQL report deep nesting as an error.
      resourceLimits: { stackSizeMb: 16 },
    })
    this.ready = new Promise((resolve, reject) => {
      const hear = (reply: EngineReply) => {
        // Before that it syncs what is in the folder, which may be gigabytes on a slow disk.
        if (reply === 'synced' && this.alive)
          this.#starting = setTimeout(() => this.terminate(startedTooLate()), startWithinMs)
        if (reply !== 'ready') return
        this.#worker.off('message', hear)
        clearTimeout(this.#starting)
        resolve()
      }
      this.#worker.on('message', hear)
      this.#worker.once('exit', () => reject(this.#endedBy ?? restarted(this.#failure)))
    })
    this.#exit = new Promise((resolve) => this.#worker.once('exit', () => resolve(true)))
    this.#worker.on('message', (reply: EngineReply) => this.#settle(reply))
    // Messages from before the end arrive before `exit`, but perhaps after `error`.
    this.#worker.on('error', (error) => {
      this.#error = error
    })
    this.#worker.on('exit', () => this.#end(this.#failure))
  }

  /** Why the thread has ended, if it says so. */
  get #failure(): Error | undefined {
    return this.#ending === undefined ? this.#error : new NoRoom(this.#error)
  }

  get alive(): boolean {
    return this.#endedBy === undefined
  }

  query(
    text: string,
    params: unknown[],
    rowMode: EngineStatement['rowMode'],
    blob?: Uint8Array<ArrayBuffer>,
  ) {
    const transfer = blob === undefined ? [] : [blob.buffer]
    return this.#ask({ text, params, rowMode, blob }, transfer)
  }

  #ask(statement: EngineStatement, transfer: ArrayBuffer[]): Promise<EngineResult> {
    return new Promise<EngineResult>((resolve, reject) => {
      if (this.#endedBy !== undefined) return reject(this.#endedBy)
      const id = ++this.#lastId
      const timer = setTimeout(() => this.terminate(), this.#deadlineMs)
      this.#pending.set(id, { resolve, reject, timer })
      this.#post({ id, statement }, transfer)
    })
  }

  #post(request: EngineRequest, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transfer)
  }

  /**
   * Ends the engine in order, or by force if it does not end in time.
   * @returns whether it has ended
   */
  async close(withinMs: number): Promise<boolean> {
    if (this.alive) {
      this.#post('close')
      if (await this.hasEnded(withinMs)) return true
      this.terminate()
    }
    return this.hasEnded(withinMs)
  }

  /** Bun ends a thread only when it leaves WebAssembly, for example to read a page. */
  terminate(cause?: unknown): void {
    this.#end(cause)
    void this.#worker.terminate()
  }

  /** Whether the thread, and with it all work on its files, has ended or ends in time. */
  async hasEnded(withinMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, withinMs, false)
    })
    const ended = await Promise.race([this.#exit, late])
    clearTimeout(timer)
    return ended
  }

  #settle(reply: EngineReply): void {
    if (reply === 'synced' || reply === 'ready') return
    if (reply === 'no-room') {
      this.#ending ??= setTimeout(() => this.terminate(new NoRoom()), answerWithinMs)
      return
    }
    if ('endedBy' in reply) {
      this.#error = new Error(reply.endedBy)
      this.terminate(this.#failure)
      return
    }
    const hadNoRoom = this.#ending !== undefined
    clearTimeout(this.#ending)
    this.#ending = undefined
    const pending = this.#pending.get(reply.id)
    if (pending === undefined) return
    this.#pending.delete(reply.id)
    clearTimeout(pending.timer)
    if ('failure' in reply) {
      const { failure } = reply
      const error = new EngineError(failure)
      const isForRoom = failure.code === diskFullCode || (hadNoRoom && isBroken(failure))
      pending.reject(isForRoom ? new NoRoom(error) : error)
      if (isBroken(failure)) this.terminate(isForRoom ? new NoRoom(error) : error)
    } else {
      pending.resolve(reply)
    }
  }

  #end(cause?: unknown): void {
    if (this.#endedBy !== undefined) return
    this.#endedBy = restarted(cause)
    clearTimeout(this.#starting)
    clearTimeout(this.#ending)
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer)
      reject(this.#endedBy)
    }
    this.#pending.clear()
  }
}
