import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, exists, lt, ne, notLike, or, sql } from 'drizzle-orm'
import { StartupError } from '../errors.ts'
import { pgClass, pgLocks, pgNamespace, pgSessions } from './catalog.ts'
import { oneRow } from './columns.ts'
import type { Db } from './database.ts'

/** Any constant will do; every start of this service takes the same lock. */
const startupLock = 7_236_451
const retryEveryMs = 250
/** While a migration waits for a table, everybody else who wants the table waits behind it. */
const lockTimeoutMs = 3_000

/**
 * Lets one start run after the other. It asks again and again: a statement that waited for the lock
 * would hold a snapshot meanwhile, and a running server could not complete a search index behind
 * it.
 * @returns whether it was acquired in time
 */
export async function acquireStartupLock(db: Db, timeoutMs: number): Promise<boolean> {
  for (const since = performance.now(); ; await sleep(retryEveryMs)) {
    const [row] = await db
      .select({ taken: sql<boolean>`pg_try_advisory_xact_lock(${startupLock})` })
      .from(oneRow)
    if (row?.taken === true) return true
    if (performance.now() - since >= timeoutMs) return false
  }
}

/** From here on, no statement of the transaction waits longer than `lockTimeoutMs` for a lock. */
export async function limitLockWaits(db: Db): Promise<void> {
  await db.execute(sql.raw(`set local lock_timeout = ${lockTimeoutMs}`))
}

/** Sessions that hold up starts or have long locked tables, as far as SERVICE_DBUSER sees them. */
async function findHolders(db: Db): Promise<string[]> {
  const ofStart = and(
    eq(pgLocks.type, 'advisory'),
    eq(pgLocks.classId, 0),
    eq(pgLocks.objectId, startupLock),
  )
  const ofTable = and(
    eq(pgLocks.type, 'relation'),
    notLike(pgNamespace.name, 'pg\\_%'),
    ne(pgNamespace.name, 'information_schema'),
  )
  const held = db
    .select({ pid: pgLocks.pid })
    .from(pgLocks)
    .leftJoin(pgClass, eq(pgClass.oid, pgLocks.relationOid))
    .leftJoin(pgNamespace, eq(pgNamespace.oid, pgClass.namespaceOid))
    .where(and(eq(pgLocks.pid, pgSessions.pid), pgLocks.isGranted, or(ofStart, ofTable)))
  const since = sql`now() - make_interval(secs => ${lockTimeoutMs / 1000})`
  const rows = await db
    .select({ pid: pgSessions.pid, name: pgSessions.application, user: pgSessions.user })
    .from(pgSessions)
    .where(
      and(
        eq(pgSessions.database, sql`current_database()`),
        ne(pgSessions.pid, sql`pg_backend_pid()`),
        sql`coalesce(${lt(pgSessions.transactionStart, since)}, true)`,
        exists(held),
      ),
    )
    .orderBy(pgSessions.transactionStart)
    .limit(5)
  return rows.map(({ pid, name, user }) => `process ${pid} of ${user} (${name || 'unnamed'})`)
}

/** A refusal to start because of locks that others hold. */
export async function blockedStart(db: Db, what: string): Promise<StartupError> {
  const holders = await findHolders(db)
  const whose = holders.length === 0 ? 'see pg_locks' : holders.join(', ')
  return new StartupError(`${what}: ${whose}; wait until they are done, or end them`)
}
