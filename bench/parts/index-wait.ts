import { setTimeout as sleep } from 'node:timers/promises'
import { note } from '../../test/shared/time.ts'
import type { Mode } from '../bare.ts'
import { type Sql, settle } from '../database.ts'

/** Up to so many components (vectors × dimensions) the service compares everything. */
const exactBudget = 5_000_000
/** So long nothing may happen before the bench believes that no index will be built. */
const idleMs = 60_000

/** Waits for the index that the service may be building, over so many components. */
export async function settledMode(
  components: number,
  sql: Sql,
  search: () => Promise<{ readonly mode: Mode }>,
): Promise<Mode> {
  if (components <= exactBudget) return 'exact'
  const start = Date.now()
  const deadline = start + Math.max(600_000, components / 25)
  for (let busy = start, said = start; Date.now() < deadline; await sleep(500)) {
    const progress = await indexProgress(sql)
    if (progress !== undefined) {
      busy = Date.now()
      if (busy - said > 10_000) {
        note(`  the index is being built: ${progress}`)
        said = busy
      }
      continue
    }
    const { mode } = await search()
    if (mode === 'approximate') {
      note(`  the index was there after ${Math.round((Date.now() - start) / 1000)} s`)
      await settle(sql)
      return mode
    }
    if (Date.now() - busy > idleMs) {
      note('  no index is being built: exact search it is')
      return mode
    }
  }
  throw new Error('the index was not there in time')
}

async function indexProgress(sql: Sql): Promise<string | undefined> {
  const [row]: { phase?: string; done?: string }[] = await sql`
    select phase, tuples_done || ' vectors' as done
    from pg_stat_progress_create_index where datname = current_database()`
  return row && `${row.phase}, ${row.done}`
}
