import { AsyncLocalStorage } from 'node:async_hooks'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { Limiter, type LimiterLoad, type Requester } from '../../concurrency/limiter.ts'
import { unavailable } from '../../errors.ts'
import type { Transaction } from '../database.ts'
import { isRead } from '../is-read.ts'
import { plansByKey } from '../plans-by-key.ts'
import { NoRoom } from './disk-full.ts'
import { dropTriggers } from './snapshot-triggers.ts'
import { giveUpSpare, keepSpare } from './spare-room.ts'
import { WorkerClient, type WorkerOptions } from './worker-client.ts'

const closeWithinMs = 5_000
/** How long a request waits for an ended worker's thread to stop, usually some 50 ms. */
const endWithinMs = 10_000
/** How long after a full disk was met the place of deleted rows is looked for, at most so often. */
const reclaimAfterMs = 20_000

/** Statements that may leave dead rows behind. */
const writes = /^\s*(insert|update|delete|with|copy)\b/i

/** PostgreSQL in a worker thread, with one connection. The thread is replaced when it ends. */
export class Engine {
  readonly #options: WorkerOptions
  readonly #deadlineMs: number
  readonly #filterMs: number
  /** The queue is short enough that what is in it is answered before it times out. */
  readonly #limiter = new Limiter({ maxConcurrent: 1, queueTimeoutMs: 30_000, maxQueue: 1_000 })
  readonly #requesters = new AsyncLocalStorage<Requester>()
  #client: WorkerClient
  #dirty = false
  #generation = 0
  #closed = false
  #isReclaiming = false

  /** @param filterMs how long a statement may evaluate a filter: see `isInTime` in src/filters/condition.ts */
  constructor(options: WorkerOptions, deadlineMs: number, filterMs: number) {
    this.#options = options
    this.#deadlineMs = deadlineMs
    this.#filterMs = filterMs
    this.#client = new WorkerClient(options, deadlineMs)
  }

  /** @throws 503 if the worker does not start */
  async start(): Promise<void> {
    const client = this.#client
    try {
      await client.ready
      await keepSpare(this.#options.dataDir)
      // Reports deep nesting as an error, which the WASM stack would otherwise swallow.
      await client.query("set max_stack_depth = '100kB'", [], 'array')
      await client.query(`set semblance.filter_time = '${this.#filterMs} ms'`, [], 'array')
      // As in PostgreSQL's search pool, neither statistics nor values may change a plan.
      const plans = { ...plansByKey, plan_cache_mode: 'force_generic_plan' }
      for (const [name, value] of Object.entries(plans)) {
        await client.query(`set ${name} = ${value}`, [], 'array')
      }
      await client.query(dropTriggers, [], 'array')
    } catch (cause) {
      // The next request starts a new worker instead of using this one without its settings.
      client.terminate(cause)
      if (cause instanceof NoRoom) throw cause
      throw unavailable('The embedded database did not start; try again', cause)
    }
  }

  /** Changes before and after everything that may write. */
  get generation(): number {
    return this.#generation
  }

  get load(): LimiterLoad {
    return this.#limiter.load
  }

  get requester(): Requester | undefined {
    return this.#requesters.getStore()
  }

  /** Runs `work` for no requester, as the service's own. */
  unasked<T>(work: () => T): T {
    return this.#requesters.exit(work)
  }

  onBehalfOf<T>(requester: Requester, work: () => T): T {
    return this.#requesters.run(requester, work)
  }

  query(text: string, params: unknown[], method: 'all' | 'execute') {
    const rowMode = method === 'all' ? 'array' : 'object'
    const run = () =>
      this.#exclusively(async () => {
        const client = await this.#runningClient()
        this.#note(text)
        return client.query(text, params, rowMode)
      })
    return isRead(text) ? run() : this.#writing(run)
  }

  /** Notes that something was written. Without writes there is nothing to clean up at the end. */
  #note(text: string): void {
    if (writes.test(text) && !isRead(text)) this.#dirty = true
  }

  async #writing<T>(work: () => Promise<T>): Promise<T> {
    this.#generation += 1
    try {
      return await work()
    } finally {
      this.#generation += 1
    }
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#writing(() => this.#transaction(work))
  }

  #transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#exclusively(async () => {
      const client = await this.#runningClient()
      await client.query('begin', [], 'array')
      try {
        const result = await work(transactionOn(client, (text) => this.#note(text)))
        await client.query('commit', [], 'array')
        return result
      } catch (error) {
        // If the worker has ended, there is nothing left to roll back.
        if (client.alive) await client.query('rollback', [], 'array')
        throw error
      }
    })
  }

  /** Runs one task at a time, to its end even if nobody waits for it any more. */
  #exclusively<T>(task: () => Promise<T>): Promise<T> {
    return this.#limiter.run(task, this.#requesters.getStore()).catch((error) => {
      if (error instanceof NoRoom) this.#reclaimSoon()
      throw error
    })
  }

  /** Without this, what was deleted on a full disk makes no room: to find its place takes some. */
  #reclaimSoon(): void {
    if (this.#isReclaiming) return
    this.#isReclaiming = true
    setTimeout(async () => {
      await giveUpSpare(this.#options.dataDir)
      if (!this.#closed) await this.maintain()
      await keepSpare(this.#options.dataDir)
      this.#isReclaiming = false
    }, reclaimAfterMs).unref()
  }

  /** Runs `work` while no statement runs and everything that was written is in the files. */
  atRest<T>(work: () => Promise<T>): Promise<T> {
    return this.#exclusively(async () => {
      await (await this.#runningClient()).query('checkpoint', [], 'array')
      return work()
    })
  }

  /** Does what autovacuum and the checkpointer do elsewhere. */
  async maintain(): Promise<void> {
    if (!this.#dirty) return
    this.#dirty = false
    for (const text of ['vacuum (analyze)', 'checkpoint']) {
      await this.query(text, [], 'execute').catch(() => {
        this.#dirty = true
      })
    }
  }

  /** @returns whether nothing can touch the files any more */
  async close(): Promise<boolean> {
    const stop = setTimeout(() => this.#stop(), closeWithinMs)
    await this.maintain()
    clearTimeout(stop)
    this.#closed = true
    return this.#client.close(closeWithinMs / 2)
  }

  #stop(): void {
    this.#closed = true
    this.#client.terminate()
  }

  /** Returns the worker, or a new one if it has ended. Two on the same files would destroy them. */
  async #runningClient(): Promise<WorkerClient> {
    if (!this.#client.alive && !(await this.#client.hasEnded(endWithinMs))) {
      throw unavailable('The embedded database is still being stopped; try again')
    }
    if (this.#closed) throw unavailable('The embedded database was closed')
    if (!this.#client.alive) {
      this.#client = new WorkerClient(this.#options, this.#deadlineMs)
      await this.start()
    }
    return this.#client
  }
}

/** @param note is called with each statement */
function transactionOn(client: WorkerClient, note: (text: string) => void): Transaction {
  return {
    db: drizzle((text, params, method) => {
      note(text)
      return client.query(text, params, method === 'all' ? 'array' : 'object')
    }),
    copyIn: async (target, rows) => {
      // The copy has a buffer of its own, which is transferred to the worker.
      const blob = new Uint8Array(rows)
      const text = `copy ${target} from '/dev/blob' (format binary)`
      note(text)
      await client.query(text, [], 'object', blob)
    },
    copyOut: async (query) => {
      const text = `copy (${query}) to '/dev/blob' (format binary)`
      const { blob } = await client.query(text, [], 'object', new Uint8Array())
      return blob ?? new Uint8Array()
    },
  }
}
