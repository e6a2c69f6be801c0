import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { StartupError } from '../../errors.ts'
import { evaluate } from '../columns.ts'
import type { Db } from '../database.ts'
import { applicationName } from './connection-options.ts'

/**
 * Must be asked on the only connection that this process has to the database.
 * @throws StartupError if servers are running on it
 */
export async function refuseServers(db: Db): Promise<void> {
  const others = sql`(select count(*) from pg_stat_activity
    where application_name = ${applicationName} and datname = current_database()
      and pid <> pg_backend_pid())`.mapWith(Number)
  for (let looks = 1; ; looks += 1) {
    const count = await evaluate(db, others)
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
