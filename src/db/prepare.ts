import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { migrate } from 'drizzle-orm/pg-proxy/migrator'
import { StartupError, unavailable } from '../errors.ts'
import { oneRow } from './columns.ts'
import type { Database, Db, Transaction } from './database.ts'
import { errorCode } from './errors.ts'

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url))
/** Any constant will do; every start of this service takes the same lock. */
const startupLock = 7_236_451

/**
 * Brings the database to this version's schema: extension, migrations, and `check`, all in one
 * transaction under a lock, so that several starts at once are fine and a refusal leaves no trace.
 * @returns a warning for the operator, or undefined
 * @throws StartupError
 */
export async function prepareDatabase(
  database: Database,
  check: (tx: Transaction) => Promise<void>,
): Promise<string | undefined> {
  const prepared = database.maintenance.transaction(async (tx) => {
    await tx.db.execute(sql`select pg_advisory_xact_lock(${startupLock})`)
    await checkServer(tx.db)
    await createExtension(tx.db)
    const warning = await checkPgvector(tx.db)
    await migrate(
      tx.db,
      async (statements) => {
        for (const statement of statements) await tx.db.execute(sql.raw(statement))
      },
      { migrationsFolder },
    )
    await check(tx)
    return warning
  })
  return prepared.catch((error) => {
    if (errorCode(error) === undefined) throw error
    throw new StartupError(
      `the database could not be brought up to date: ${rootMessage(error)}; check what SERVICE_DBUSER may do in SERVICE_DBNAME`,
    )
  })
}

/**
 * Makes what tells whether the database is there and as this version left it, with the extension and
 * all migrations; it throws 503 that says what is missing.
 */
export function createReadyCheck({ short: { db } }: Database): () => Promise<void> {
  let wanted: number | undefined
  return async () => {
    // The files are read and hashed at the first probe, not at each.
    wanted ??= readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0
    await checkReady(db, wanted)
  }
}

async function checkReady(db: Db, newestWanted: number): Promise<void> {
  const [state] = await db
    .select({
      extension: sql<boolean>`exists (select from pg_extension where extname = 'vector')`,
      migrated: sql<boolean>`to_regclass('drizzle.__drizzle_migrations') is not null`,
    })
    .from(oneRow)
  if (state?.extension !== true) throw unavailable('The database has no extension pgvector')
  const [newest] = state.migrated
    ? await db
        .select({ at: sql`max(created_at)`.mapWith(Number) })
        .from(sql`drizzle.__drizzle_migrations`)
    : []
  if (newest === undefined || newest.at < newestWanted) {
    throw unavailable('The database lacks migrations; run "semblance migrate"')
  }
}

/** PostgreSQL's own words, below Drizzle's wrapper that holds the whole statement. */
function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : rootMessage(error.cause)
}

async function checkServer(db: Db): Promise<void> {
  const [row] = await db
    .select({ version: sql`current_setting('server_version_num')`.mapWith(Number) })
    .from(oneRow)
  if (row !== undefined && row.version >= 150_000) return
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
        'the PostgreSQL server has no pgvector; install it (0.8.4 or newer), for example the package postgresql-18-pgvector',
      )
    }
    throw error
  }
}

/** Refuses pgvector below 0.7 (no halfvec, no bit indexes) and warns of versions with index bugs. */
async function checkPgvector(db: Db): Promise<string | undefined> {
  const [row] = await db
    .select({ version: sql<string>`extversion` })
    .from(sql`pg_extension`)
    .where(sql`extname = 'vector'`)
  const version = row?.version ?? 'none'
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const number = (major * 1000 + minor) * 1000 + patch
  if (number < 7_000) {
    throw new StartupError(
      `pgvector ${version} is too old; install 0.8.4 or newer and run "ALTER EXTENSION vector UPDATE"`,
    )
  }
  if (number >= 8_004) return undefined
  return `pgvector ${version} has known index bugs; update to 0.8.4 or newer`
}
