import { workerScript } from '../../concurrency/worker-script.ts'
import { ThreadEnded, WorkerThread } from '../../concurrency/worker-thread.ts'
import { endsWithin } from '../../concurrency/yielding.ts'
import { unavailable } from '../../errors.ts'
import { NoRoom } from './disk-full.ts'

/** The options that the engine's thread starts with. */
export interface WorkerOptions {
  /** The folder of its files; undefined to keep everything in memory. */
  readonly dataDir: string | undefined
  readonly durability: Durability
}

/** Whether a commit is on the disk when it is acknowledged, or gets there some time later. */
export type Durability = 'full' | 'relaxed'

/** A statement, which is answered, or the order to close the database and end the thread. */
export type EngineRequest = EngineStatement | 'close'

export interface EngineStatement {
  readonly text: string
  readonly params: readonly unknown[]
  readonly rowMode: 'array' | 'object'
  /** What `COPY … FROM '/dev/blob'` reads; empty for `COPY … TO '/dev/blob'`. */
  readonly blob?: Uint8Array<ArrayBuffer> | undefined
}

export type EngineReply = EngineResult | { readonly failure: Failure }

/**
 * The thread is `synced` when the engine begins to start. At any time it may say that there is no
 * room for what the engine writes, or why it ends now.
 */
export type EngineNotice = 'synced' | 'no-room' | { readonly endedBy: string }

export interface EngineResult {
  readonly rows: unknown[]
  readonly affectedRows: number
  /** What `COPY … TO '/dev/blob'` has written. */
  readonly blob?: Uint8Array<ArrayBuffer> | undefined
}

/** An error of the engine. Without a SQLSTATE it is not one of PostgreSQL's. */
export interface Failure {
  readonly message: string
  readonly code: string | undefined
  /** ERROR, or FATAL or PANIC if the engine cannot go on. */
  readonly severity: string | undefined
  readonly constraint: string | undefined
  readonly detail: string | undefined
}

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
  readonly #thread: WorkerThread<EngineRequest, EngineReply, EngineNotice>
  readonly #deadlineMs: number
  #starting: NodeJS.Timeout | undefined
  /** Runs from when there was no room for what the engine wrote until it answers. */
  #ending: NodeJS.Timeout | undefined

  constructor(workerData: WorkerOptions, deadlineMs: number) {
    this.#deadlineMs = deadlineMs
    this.#thread = new WorkerThread(workerScript(import.meta.url, './worker.ts'), {
      workerData,
      // With a deep stack, max_stack_depth makes PostgreSQL report deep nesting as an error.
      resourceLimits: { stackSizeMb: 16 },
      heard: (notice) => this.#hear(notice),
    })
    this.ready = this.#thread.ready
      .catch((ended: unknown) => {
        throw this.#restarted(ended)
      })
      .finally(() => clearTimeout(this.#starting))
    void this.#thread.exit.then(() => clearTimeout(this.#ending))
  }

  get alive(): boolean {
    return this.#thread.alive
  }

  async query(
    text: string,
    params: unknown[],
    rowMode: EngineStatement['rowMode'],
    blob?: Uint8Array<ArrayBuffer>,
  ): Promise<EngineResult> {
    const transfer = blob === undefined ? [] : [blob.buffer]
    const options = { transfer, budget: { timeoutMs: this.#deadlineMs } }
    const reply = await this.#thread
      .ask({ text, params, rowMode, blob }, options)
      .catch((ended: unknown) => {
        throw this.#restarted(ended)
      })
    const hadNoRoom = this.#ending !== undefined
    clearTimeout(this.#ending)
    this.#ending = undefined
    if (!('failure' in reply)) return reply
    const { failure } = reply
    const engineError = new EngineError(failure)
    const isForRoom = failure.code === diskFullCode || (hadNoRoom && isBroken(failure))
    const error = isForRoom ? new NoRoom(engineError) : engineError
    if (isBroken(failure)) this.terminate(error)
    throw error
  }

  /**
   * Ends the engine in order, or by force if it does not end in time.
   * @returns whether it has ended
   */
  async close(withinMs: number): Promise<boolean> {
    if (this.alive) {
      this.#thread.tell('close')
      if (await this.hasEnded(withinMs)) return true
      this.terminate()
    }
    return this.hasEnded(withinMs)
  }

  /** Bun ends a thread only when it leaves WebAssembly, for example to read a page. */
  terminate(cause?: unknown): void {
    this.#thread.stop(cause)
  }

  /** Whether the thread, and with it all work on its files, has ended or ends in time. */
  hasEnded(withinMs: number): Promise<boolean> {
    return endsWithin(this.#thread.exit, withinMs)
  }

  #hear(notice: EngineNotice): void {
    if (!this.alive) return
    if (notice === 'synced') {
      // Before that it syncs what is in the folder, which may be gigabytes on a slow disk.
      this.#starting = setTimeout(() => this.terminate(startedTooLate()), startWithinMs)
    } else if (notice === 'no-room') {
      this.#ending ??= setTimeout(() => this.terminate(new NoRoom()), answerWithinMs)
    } else this.terminate(new Error(notice.endedBy))
  }

  /** What a statement fails with because the thread has ended. */
  #restarted(ended: unknown): unknown {
    if (!(ended instanceof ThreadEnded)) return ended
    const { cause } = ended
    if (cause instanceof NoRoom) return cause
    if (this.#ending !== undefined) return new NoRoom(cause)
    return unavailable('The embedded database was restarted; try again', cause)
  }
}
