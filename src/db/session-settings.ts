import { sql } from 'drizzle-orm'
import type { Db } from './database.ts'

/**
 * Settings for plans that no statistics may change, because statistics know nothing of a new
 * project. Table scans would read the rows of all projects. A disabled sort is avoided if an index
 * has the order already, and still used if it is the only plan.
 */
export const plansByKey = { enable_seqscan: 'off', enable_bitmapscan: 'off', enable_sort: 'off' }

/** Runs `work` with these settings of the session, and resets them afterwards. */
export async function withSettings<T>(
  db: Db,
  settings: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  for (const [name, value] of Object.entries(settings)) {
    await db.execute(sql.raw(`set ${name} = '${value}'`))
  }
  try {
    return await work()
  } finally {
    // If the connection is lost, the settings are lost with it.
    for (const name of Object.keys(settings)) {
      await db.execute(sql.raw(`reset ${name}`)).catch(() => {})
    }
  }
}
