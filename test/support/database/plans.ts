import { type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/pg-proxy'
import type { Database, Db } from '../../../src/db/database.ts'

/** A scan of the table `embeddings`, other than that for the vector that is searched for. */
export interface Scan {
  /** undefined for a scan of the whole table. */
  readonly index: string | undefined
  /** Rows that it met, those included which a filter left out. */
  readonly rows: number
}

export interface Plan {
  readonly lines: readonly string[]
  readonly scans: readonly Scan[]
}

/** Executions after which PostgreSQL no longer plans for the parameters at hand. */
const beforeGenericPlan = 6

const literal = (value: unknown) =>
  value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`

/**
 * The plans of one statement as the pool for searches makes them: for the parameters at hand, and
 * the one for all parameters.
 */
export async function plansOf(
  { search }: Pick<Database, 'search'>,
  run: (db: Db) => Promise<unknown>,
): Promise<Plan[]> {
  return search.transaction(async ({ db }) => {
    const plans: Plan[] = []
    const explain = async (execution: SQL) => {
      const rows: unknown = await db.execute(
        sql`explain (analyze, costs off, timing off, buffers off) ${execution}`,
      )
      plans.push(
        readPlan(Object.values(Object(rows)).map((row) => String(Object(row)['QUERY PLAN']))),
      )
    }
    await run(
      drizzle(async (text, params) => {
        await db.execute(sql.raw(`prepare plan_to_see as ${text}`))
        const execution = sql.raw(`execute plan_to_see(${params.map(literal).join(', ')})`)
        await explain(execution)
        for (let time = 0; time < beforeGenericPlan; time += 1) await db.execute(execution)
        await explain(execution)
        await db.execute(sql`deallocate plan_to_see`)
        return { rows: [] }
      }),
    )
    return plans
  })
}

function readPlan(lines: readonly string[]): Plan {
  const scans: Scan[] = []
  for (const [at, line] of lines.entries()) {
    const scan = /(?:Scan using (\S+)|Seq Scan|Bitmap Heap Scan) on embeddings /.exec(line)
    if (scan === null || line.includes('on embeddings query')) continue
    const removed = /Removed by Filter: (\d+)/.exec(lines.slice(at + 1, at + 8).join(' '))
    const rows = Number(/actual rows=(\d+)/.exec(line)?.[1]) + Number(removed?.[1] ?? 0)
    scans.push({ index: scan[1], rows })
  }
  return { lines, scans }
}
