import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle, type PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type postgres from 'postgres'
import { type TurnLoad, Turns } from '../../turns.ts'
import type { Transaction } from '../database.ts'
import { isRetryable, isTransportFailure } from '../errors.ts'
import { connect, type PostgresSettings } from './connection.ts'

export interface PoolSize {
  readonly connections: number
  /** How long a statement or transaction may wait for a connection. */
  readonly patienceMs: number
  /** How long one statement may take. */
  readonly statementMs: number
  /** Further settings of the pool's sessions. */
  readonly session?: Readonly<Record<string, string>>
}

const maxAttempts = 4
const maxWaiting = 1_000

/**
 * A bounded number of connections. No more is sent than there are connections: postgres.js would
 * put a statement into the pipeline of a busy one, where it waits however long that takes.
 */
export class Pool {
  /** Each query on its own; prepared, since the texts are few. */
  readonly db: PgRemoteDatabase
  readonly #sql: postgres.Sql
  readonly #turns: Turns

  constructor(server: PostgresSettings, size: PoolSize) {
    const { connections, patienceMs, statementMs, session } = size
    const limits = { statement_timeout: `${statementMs}`, lock_timeout: `${statementMs / 2}` }
    this.#sql = connect(server, connections, { ...limits, ...session })
    this.#turns = new Turns({ atOnce: connections, patienceMs, waiting: maxWaiting })
    this.db = drizzle((text, params, method) =>
      this.#turns.run(() => run(this.#sql, text, params, method)),
    )
  }

  /** Its pool has one connection. */
  session<T>(work: (db: PgRemoteDatabase) => Promise<T>): Promise<T> {
    return work(this.db)
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#turns.run(() => withRetries(() => transaction(this.#sql, work)))
  }

  get load(): TurnLoad {
    return this.#turns.load
  }

  close(): Promise<void> {
    return this.#sql.end({ timeout: 5 })
  }
}

async function run(
  sql: postgres.Sql | postgres.TransactionSql,
  text: string,
  params: postgres.ParameterOrJSON<never>[],
  method: 'all' | 'execute',
) {
  const query = sql.unsafe(text, params, { prepare: params.length > 0 })
  return { rows: method === 'all' ? await query.values() : await query }
}

async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = maxAttempts - 1; ; left -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !isRetryable(error)) throw error
      await sleep(10 + Math.random() * 40)
    }
  }
}

/**
 * Resolves and rejects from inside: `begin` unwraps arrays in its type, and after an error it would
 * write ROLLBACK to a connection that is gone, which takes the process down (postgres.js issue 1208).
 * When the connection is lost, `work` gets no further: postgres.js would send its next statement,
 * or the COMMIT, on the connection made in its place, in the middle of another's transaction.
 */
function transaction<T>(sql: postgres.Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = new AbortController()
    let committed = () => {}
    sql
      .begin(async (connection) => {
        const result = await work(transactionOn(connection, ended.signal)).catch((error) => {
          if (!ended.signal.aborted && !isTransportFailure(error)) throw error
          reject(error)
          return left()
        })
        if (ended.signal.aborted) return left()
        committed = () => resolve(result)
      })
      .then(
        () => committed(),
        (error) => {
          ended.abort(error)
          reject(error)
        },
      )
  })
}

/**
 * Leaves a transaction open whose connection is lost; `begin` itself ends when it is closed.
 * A new promise each time: one for all would keep everything that ever waited for it in memory.
 */
const left = () => new Promise<never>(() => {})

/** @param ended when nothing may be sent any more */
function transactionOn(connection: postgres.TransactionSql, ended: AbortSignal): Transaction {
  return {
    db: drizzle((text, params, method) => {
      ended.throwIfAborted()
      return run(connection, text, params, method)
    }),
    copyIn: async (target, rows) => {
      ended.throwIfAborted()
      const query = connection.unsafe(`copy ${target} from stdin (format binary)`)
      const stream = await query.writable()
      // What the server says after the last byte reaches the query alone, which has resolved to the
      // stream by then, and the stream would wait for ever (postgres.js issue 1173).
      const refused = new Promise<never>((_, reject) => Object.assign(query, { reject }))
      // Also when nobody waits any more: an error that is not listened for ends the process.
      stream.on('error', () => {})
      stream.end(rows)
      await Promise.race([refused, once(stream, 'finish', { signal: ended })])
    },
  }
}
