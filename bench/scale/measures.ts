import { median } from '../../test/shared/percentiles.ts'
import type { Sql } from '../database.ts'

/** The one number of the one row that a statement answers. */
export async function numberOf(sql: Sql, statement: string): Promise<number> {
  const [row] = await sql.unsafe(`select (${statement})::float8 as value`)
  return Number(row?.['value'])
}

/** How many bytes PostgreSQL writes into its write-ahead log during `work`, and what that returns. */
export async function written<T>(sql: Sql, work: () => Promise<T>) {
  const position = () => numberOf(sql, `pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')`)
  const before = await position()
  const result = await work()
  return { bytes: (await position()) - before, result }
}

export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1_000
}

/** The median of so many runs, one after the other, in milliseconds. */
export async function medianMs(runs: number, work: (run: number) => Promise<unknown>) {
  const took: number[] = []
  for (let run = 0; run < runs; run += 1) took.push(1_000 * (await secondsOf(() => work(run))))
  return median(took)
}

/** The median of PostgreSQL's own planning time, and the first one: that of a new connection. */
export async function planningMs(sql: Sql, runs: number, statement: string) {
  const took: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const [row] = await sql.unsafe(`explain (summary, format json) ${statement}`)
    took.push(Number(row?.['QUERY PLAN']?.[0]?.['Planning Time']))
  }
  return { first: took[0], median: median(took) }
}
