import { sql } from 'drizzle-orm'
import { expect, it, onTestFinished } from 'vitest'
import { oneRow } from '../../src/db/columns.ts'
import { PostgresPool } from '../../src/db/postgres/pool.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const place = postgresOfRun()

it.skipIf(place === undefined)('a query with parameters is prepared once by its text', async () => {
  if (place === undefined) return
  const pool = new PostgresPool(place, {
    connections: 1,
    queueTimeoutMs: 5_000,
    statementMs: 5_000,
  })
  onTestFinished(() => pool.close())
  const built = pool.db
    .select({ value: sql`${sql.placeholder('value')}::int`.mapWith(Number) })
    .from(oneRow)
    .prepare('a_name_that_is_not_sent')
  for (const value of [1, 2]) expect(await built.execute({ value })).toEqual([{ value }])
  await pool.db.select({ value: sql`${3}::int` }).from(oneRow)
  const prepared = await pool.db
    .select({ executions: sql`generic_plans + custom_plans`.mapWith(Number) })
    .from(sql`pg_prepared_statements`)
    .where(sql`statement like '%::int%' and not statement like '%executions%'`)
  expect(prepared).toEqual([{ executions: 3 }])
})
