import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle as drizzleProxy } from 'drizzle-orm/pg-proxy'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { StartupError, unavailable } from '../errors.ts'
import type { Database, Transaction } from './database.ts'
import { errorCode, isRetryable, isTransportFailure } from './errors.ts'

export interface PostgresSettings {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

const connectTimeoutMs = 30_000
const copyDeadlineMs = 120_000
const maxAttempts = 4

/**
 * A pool of connections to PostgreSQL. Waits up to 30 s for a server that does not answer yet.
 * @throws StartupError naming the server and the setting to look at
 */
export async function openPostgres(settings: PostgresSettings): Promise<Database> {
  const pool = postgres({
    ...settings,
    max: 10,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: 'semblance', idle_in_transaction_session_timeout: 120_000 },
  })
  await waitForServer(pool, settings)
  // drizzle() makes this client return timestamps and JSON as text, which is what the proxy
  // of a transaction wants as well: one client, one style.
  const db = drizzle(pool)
  return {
    engine: 'postgres',
    db,
    transaction: (work) => withRetries(() => transaction(pool, work)),
    close: () => pool.end({ timeout: 5 }),
  }
}

async function waitForServer(pool: postgres.Sql, settings: PostgresSettings): Promise<void> {
  const deadline = Date.now() + connectTimeoutMs
  for (let pause = 100; ; pause = Math.min(pause * 2, 2_000)) {
    try {
      await pool`select 1`
      return
    } catch (error) {
      const refusal = refusalOf(errorCode(error), settings)
      if (refusal !== undefined || Date.now() + pause > deadline) {
        await pool.end({ timeout: 0 })
        throw new StartupError(refusal ?? noAnswer(errorCode(error), settings))
      }
      await sleep(pause)
    }
  }
}

const noAnswer = (code: string | undefined, { host, port }: PostgresSettings) =>
  `PostgreSQL at ${host}:${port} did not answer within ${connectTimeoutMs / 1000} s (${code}); ` +
  'check SERVICE_DBHOST and SERVICE_DBPORT, or use SERVICE_DATABASE=embedded'

/** Refusals that waiting does not mend. */
function refusalOf(code: string | undefined, settings: PostgresSettings): string | undefined {
  const server = `PostgreSQL at ${settings.host}:${settings.port}`
  switch (code) {
    case '28P01':
    case '28000':
      return `${server} refused user '${settings.user}'; check SERVICE_DBUSER and SERVICE_DBPASSWORD`
    case '3D000':
      return `${server} has no database '${settings.database}'; create it or check SERVICE_DBNAME`
    case '42501':
      return `${server} lets user '${settings.user}' not connect to '${settings.database}'; check SERVICE_DBUSER and SERVICE_DBNAME`
    default:
      return undefined
  }
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
 */
function transaction<T>(pool: postgres.Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let committed = () => {}
    pool
      .begin(async (connection) => {
        const result = await work(transactionOn(connection)).catch((error) => {
          if (!isTransportFailure(error)) throw error
          reject(error)
          return never
        })
        committed = () => resolve(result)
      })
      .then(() => committed(), reject)
  })
}

/** Leaves a transaction open whose connection is lost; `begin` itself ends when it is closed. */
const never = new Promise<never>(() => {})

function transactionOn(connection: postgres.TransactionSql): Transaction {
  const db = drizzleProxy(async (text, params, method) => {
    const query = connection.unsafe(text, params)
    return { rows: method === 'all' ? await query.values() : await query }
  })
  return {
    db,
    copyIn: async (target, rows) => {
      const stream = await connection.unsafe(`copy ${target} from stdin (format binary)`).writable()
      stream.end(rows)
      // A COPY that the server refuses never settles (postgres.js issue 1173): hence the deadline.
      const signal = AbortSignal.timeout(copyDeadlineMs)
      await once(stream, 'finish', { signal }).catch((cause) => {
        throw unavailable('The upload was not taken by the database in time; try again', cause)
      })
    },
  }
}
