import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import { StartupError } from '../../errors.ts'
import { pgSessions } from '../catalog.ts'
import type { Db } from '../database.ts'
import { applicationName } from './connection-options.ts'

/**
 * Must be asked on the only connection that this process has to the database.
 * @throws StartupError if servers are running on it
 */
export async function refuseServers(db: Db): Promise<void> {
  const others = and(
    eq(pgSessions.application, applicationName),
    sql`${pgSessions.database} = current_database() and ${pgSessions.pid} <> pg_backend_pid()`,
  )
  for (let looks = 1; ; looks += 1) {
    const count = await db.$count(pgSessions, others)
    if (count === 0) return
    if (looks === 10) {
      throw new StartupError(
        `other servers are running on this database (${count} connections), and would miss what is moved; stop them first, or end what a pooler keeps of theirs`,
      )
    }
    // A closed connection disappears a moment later.
    await sleep(100)
  }
}
