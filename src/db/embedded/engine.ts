import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { Limiter, type LimiterLoad, type Requester } from '../../concurrency/limiter.ts'
import { StartupError, unavailable } from '../../errors.ts'
import type { Database, Pool, Transaction } from '../database.ts'
import { lockFolder } from './folder-lock.ts'
import { WorkerClient } from './worker-client.ts'

/** How long one statement may take; the engine cannot cancel, so its worker is replaced then. */
const defaultDeadlineMs = 120_000
const closeWithinMs = 5_000
/** How long a request waits for an ended worker's thread, which usually takes some 50 ms to stop. */
const endWithinMs = 10_000
const maintenanceEveryMs = 5 * 60_000

/**
 * PostgreSQL compiled to WebAssembly, in a worker thread, with its files below `dataDir`
 * (undefined: in memory, for tests). One connection: statements and transactions take turns.
 * It survives a killed process, not a power cut: the engine never calls fsync.
 * @throws StartupError when the folder cannot be used or another process uses it
 */
export async function openEmbedded(
  dataDir: string | undefined,
  deadlineMs = defaultDeadlineMs,
): Promise<Database> {
  const unlock = dataDir === undefined ? async () => {} : await lockFolder(dataDir)
  const engine = new Engine(dataDir === undefined ? undefined : join(dataDir, 'pgdata'), deadlineMs)
  try {
    if (dataDir !== undefined) await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await engine.start()
  } catch (cause) {
    if (await engine.close()) await unlock()
    const message = `the embedded database in ${dataDir} did not open; restore the folder from a backup or choose another with SERVICE_DATADIR`
    throw new StartupError(message, { cause })
  }
  const timer = setInterval(() => void engine.maintain(), maintenanceEveryMs)
  timer.unref()
  const db = drizzle((text, params, method) => engine.query(text, params, method))
  const pool: Pool = { db, transaction: (work) => engine.transaction(work) }
  return {
    engine: 'embedded',
    access: pool,
    short: pool,
    search: pool,
    bulk: pool,
    maintenance: { ...pool, session: (work) => work(db) },
    onBehalfOf: (requester, work) => engine.requesters.run(requester, work),
    load: () => ({ embedded: engine.load }),
    close: async () => {
      clearInterval(timer)
      // A lock that is left behind is taken over once this process has ended.
      if (await engine.close()) await unlock()
    },
  }
}

/** Statements that may leave dead rows behind. */
const writes = /^\s*(insert|update|delete|with)\b/i

class Engine {
  readonly #dataDir: string | undefined
  readonly #deadlineMs: number
  /** One connection. The waiting are few enough to be answered within their patience. */
  readonly #limiter = new Limiter({ maxConcurrent: 1, queueTimeoutMs: 30_000, maxQueue: 1_000 })
  readonly requesters = new AsyncLocalStorage<Requester>()
  #client: WorkerClient
  #dirty = false
  #closed = false

  constructor(dataDir: string | undefined, deadlineMs: number) {
    this.#dataDir = dataDir
    this.#deadlineMs = deadlineMs
    this.#client = new WorkerClient(dataDir, deadlineMs)
  }

  async start(): Promise<void> {
    const client = this.#client
    try {
      await client.ready
      // Reports deep nesting as an error where the WASM stack would swallow it.
      await client.query("set max_stack_depth = '100kB'", [], 'array')
      // As in the pool for searches on PostgreSQL: no statistics may keep a search from its index.
      for (const plan of ['seqscan', 'bitmapscan', 'sort']) {
        await client.query(`set enable_${plan} = off`, [], 'array')
      }
    } catch (cause) {
      // The next request begins another life, not this one without its setting.
      client.terminate(cause)
      throw unavailable('The embedded database did not start; try again', cause)
    }
  }

  get load(): LimiterLoad {
    return this.#limiter.load
  }

  query(text: string, params: unknown[], method: 'all' | 'execute') {
    return this.#turn(async () => {
      const client = await this.#livingClient()
      if (writes.test(text)) this.#dirty = true
      return client.query(text, params, method === 'all' ? 'array' : 'object')
    })
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#turn(async () => {
      const client = await this.#livingClient()
      await client.query('begin', [], 'array')
      try {
        const result = await work(transactionOn(client))
        await client.query('commit', [], 'array')
        this.#dirty = true
        return result
      } catch (error) {
        // When the worker died there is nothing left to roll back.
        if (client.alive) await client.query('rollback', [], 'array')
        throw error
      }
    })
  }

  /** One that has begun is finished, also when nobody waits for it any more. */
  #turn<T>(task: () => Promise<T>): Promise<T> {
    return this.#limiter.run(task, this.requesters.getStore())
  }

  /** What autovacuum and the checkpointer do elsewhere. */
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

  /** The worker, replaced by a new one when it died. Two on the same files would destroy them. */
  async #livingClient(): Promise<WorkerClient> {
    if (!this.#client.alive && !(await this.#client.hasEnded(endWithinMs))) {
      throw unavailable('The embedded database is still being stopped; try again')
    }
    if (this.#closed) throw unavailable('The embedded database was closed')
    if (!this.#client.alive) {
      this.#client = new WorkerClient(this.#dataDir, this.#deadlineMs)
      await this.start()
    }
    return this.#client
  }
}

function transactionOn(client: WorkerClient): Transaction {
  return {
    db: drizzle((text, params, method) =>
      client.query(text, params, method === 'all' ? 'array' : 'object'),
    ),
    copyIn: async (target, rows) => {
      // A view of its own buffer, which is handed over to the worker without a copy.
      const blob = new Uint8Array(rows)
      await client.query(`copy ${target} from '/dev/blob' (format binary)`, [], 'object', blob)
    },
  }
}
