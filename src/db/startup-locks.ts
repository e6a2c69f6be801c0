import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { StartupError } from '../errors.ts'
import { evaluate } from './columns.ts'
import type { Db } from './database.ts'

/** Any constant will do; every start of this service takes the same lock. */
const startupLock = 7_236_451
const retryEveryMs = 250

/**
 * Lets one start run after the other. It asks again and again: a statement that waited for the lock
 * would hold a snapshot meanwhile, and a running server could not complete a search index behind
 * it.
 * @returns whether it was acquired in time
 */
export async function acquireStartupLock(db: Db, timeoutMs: number): Promise<boolean> {
  for (const since = performance.now(); ; await sleep(retryEveryMs)) {
    if (await evaluate(db, sql<boolean>`pg_try_advisory_xact_lock(${startupLock})`)) return true
    if (performance.now() - since >= timeoutMs) return false
  }
}

/** Which locks keep a start waiting: that of another start, or those on the tables. */
const locks = {
  start: sql`locktype = 'advisory' and classid = 0 and objid = ${startupLock}`,
  tables: sql`relnamespace = to_regnamespace('public')`,
}

/**
 * A refusal to start because of locks that others hold. It names who has had one for longest, as
 * far as SERVICE_DBUSER sees it.
 */
export async function blockedStart(
  db: Db,
  what: string,
  kind: keyof typeof locks,
): Promise<StartupError> {
  const name = sql`coalesce(nullif(application_name, ''), 'unnamed')`
  const [oldest] = await db
    .select({ holder: sql<string>`format('process %s of %s (%s)', pid, usename, ${name})` })
    .from(sql`pg_stat_activity`)
    .where(sql`datname = current_database() and pid <> pg_backend_pid() and pid in (
      select pg_locks.pid from pg_locks
      left join pg_class on pg_class.oid = relation
      where granted and ${locks[kind]})`)
    .orderBy(sql`xact_start`)
    .limit(1)
  const holder = oldest?.holder ?? 'see pg_locks'
  return new StartupError(`${what}: ${holder}; wait until that is done, or end it`)
}
