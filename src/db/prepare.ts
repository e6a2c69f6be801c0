import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { StartupError, unavailable } from '../errors.ts'
import { evaluate } from './columns.ts'
import type { Database, Db, Transaction } from './database.ts'
import { isDistributed } from './distributed.ts'
import { errorCode, isRetryable, rootMessage } from './errors.ts'
import { applyMigrations, newestWanted, readSchemaState, refuseNewer } from './migrations.ts'
import { checkVersion, firstSoundVersion, pgvectorVersion } from './pgvector.ts'
import { acquireStartupLock, blockedStart } from './startup-locks.ts'

const lockNotAvailable = '55P03'
const pauseMs = 2_000

/** How long a start waits for others. */
interface StartTimeouts {
  /** For locks on tables, in all attempts after the first. */
  readonly tableLocksMs: number
  /** For other starts, which may have much to migrate. */
  readonly startupLockMs: number
}

const defaultTimeouts: StartTimeouts = { tableLocksMs: 30_000, startupLockMs: 10 * 60_000 }

/**
 * Brings the database to this version's schema: extension, migrations, and `check`. All of it is
 * one transaction under a lock, so that several starts at once are fine and a refusal leaves no
 * trace. If there is nothing to do, it only reads. It waits for a locked table in attempts with
 * pauses, because everybody who wants the table waits behind a migration that waits. It tries again
 * after a deadlock in the same way.
 * @returns a warning for the operator, or undefined
 * @throws StartupError
 */
export async function prepareDatabase(
  database: Database,
  check: (tx: Transaction) => Promise<void>,
  timeouts = defaultTimeouts,
): Promise<string | undefined> {
  let lockedSince: number | undefined
  for (;;) {
    try {
      return await attempt(database, check, timeouts)
    } catch (error) {
      // Servers of an older version go on serving, and lock the same tables in orders of their own.
      const isLocked = errorCode(error) === lockNotAvailable || isRetryable(error)
      if (!isLocked) throw explainStartFailure(error)
      lockedSince ??= performance.now()
      if (performance.now() - lockedSince >= timeouts.tableLocksMs) {
        const what =
          'the database could not be brought up to date, since others hold locks on its tables'
        throw await blockedStart(database.maintenance.db, what, 'tables')
      }
      await sleep(pauseMs)
    }
  }
}

async function attempt(
  database: Database,
  check: (tx: Transaction) => Promise<void>,
  { startupLockMs }: StartTimeouts,
): Promise<string | undefined> {
  return database.maintenance.transaction(async (tx) => {
    if (!(await acquireStartupLock(tx.db, startupLockMs))) {
      const what = `the database has been prepared by another start for ${startupLockMs / 1000} s`
      throw await blockedStart(tx.db, what, 'start')
    }
    // While a migration waits for a table, everybody else who wants the table waits behind it.
    await tx.db.execute(sql`set local lock_timeout = '3s'`)
    await checkServer(tx.db)
    if ((await isDistributed(tx.db)) !== database.isDistributed) {
      throw new StartupError('embeddings were distributed during this start; start again')
    }
    const state = await readSchemaState(tx.db)
    await refuseNewer(tx.db, state.newest)
    if (!state.extension) await createExtension(tx.db)
    const warning = checkVersion((await pgvectorVersion(tx.db)) ?? 'none')
    if (state.newest < newestWanted()) await applyMigrations(tx)
    await check(tx)
    return warning
  })
}

/**
 * Creates a function that checks whether the database is there, with the extension and all
 * migrations of this version. It throws 503 that says what is missing.
 */
export function createReadyCheck({ short: { db } }: Database): () => Promise<void> {
  let wanted: number | undefined
  return async () => {
    // The files are read and hashed at the first probe only.
    wanted ??= newestWanted()
    const { extension, newest } = await readSchemaState(db)
    if (!extension) throw unavailable('The database has no extension pgvector')
    if (newest < wanted) throw unavailable('The database lacks migrations; run "semblance migrate"')
  }
}

async function checkServer(db: Db): Promise<void> {
  const version = sql`current_setting('server_version_num')`.mapWith(Number)
  if (((await evaluate(db, version)) ?? 0) >= 150_000) return
  throw new StartupError('PostgreSQL is too old; version 15 or newer is needed')
}

async function createExtension(db: Db): Promise<void> {
  try {
    await db.execute(sql`create extension if not exists vector`)
  } catch (error) {
    const code = errorCode(error)
    if (code === '42501') {
      throw new StartupError(
        'SERVICE_DBUSER may not create the extension pgvector; run "CREATE EXTENSION vector" in SERVICE_DBNAME as a superuser once',
      )
    }
    if (code === '0A000' || code === '58P01') {
      throw new StartupError(
        `the PostgreSQL server has no pgvector; install it (${firstSoundVersion} or newer), for example the package postgresql-18-pgvector`,
      )
    }
    throw error
  }
}

/** Turns a database error into a refusal to start; other errors are returned as they are. */
function explainStartFailure(error: unknown): unknown {
  const code = errorCode(error)
  if (code === undefined) return error
  const advice = adviceOn[code]
  const message = `the database could not be brought up to date: ${rootMessage(error)}`
  return new StartupError(advice === undefined ? message : `${message}; ${advice}`)
}

/** There is a table or type of that name already. */
const isTaken =
  'SERVICE_DBNAME seems to be used by another program; give the service a database of its own'

/** What to do about an error with this SQLSTATE. */
const adviceOn: Readonly<Record<string, string>> = {
  '42501':
    'SERVICE_DBUSER needs CREATE on the database SERVICE_DBNAME, USAGE and CREATE on its schema public, and must own the tables that are there',
  '42P07': isTaken,
  '42710': isTaken,
}
