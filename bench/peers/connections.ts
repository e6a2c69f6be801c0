import type { Sql } from '../database.ts'
import { type CpuTimes, cpuOfPrograms } from '../processes.ts'

/** CPU of all other connections to this database; not known unless it runs on this machine. */
export async function cpuOfConnections(sql: Sql): Promise<CpuTimes | undefined> {
  const rows: { pid: number }[] = await sql`
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  return cpuOfPrograms(
    'postgres',
    rows.map(({ pid }) => pid),
  )
}
