import { sql } from 'drizzle-orm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const rows = 20_000

describe.skipIf(postgresOfRun() === undefined)('cleaning up', () => {
  it('reads no rows of other projects, whatever share of all the statistics say it has', async () => {
    const service = await startOwnService()
    onTestFinished(service.close)
    const { db } = service.database.maintenance
    const execute = (text: string) => db.execute(sql.raw(text))
    await execute('alter table embeddings set (autovacuum_enabled = false)')
    await execute('insert into collections select from generate_series(1, 3)')
    await execute(`insert into projects (owner_id, project_handle, collection_id)
      select user_id, 'kept' || kept, kept from users, (values (1), (3)) as given (kept)`)
    await execute(`insert into embeddings (collection_id, vector_dim, text_id, vector)
      select collection, 3, 't' || i, '[1,2,3]'
      from generate_series(1, 3) as collection, generate_series(1, ${rows}) as i`)
    await execute('analyze embeddings')
    /** Rows that scans of the whole table have met. */
    const scanned = async () => {
      // By the connection that was used last, which has not told it yet.
      await execute('select pg_stat_force_next_flush()')
      const [found] = await service.database.short.db
        .select({ rows: sql`seq_tup_read`.mapWith(Number) })
        .from(sql`pg_stat_user_tables where relname = 'embeddings'`)
      return found?.rows
    }
    const before = await scanned()
    await service.cleaner.clean()
    expect(await scanned()).toBe(before)
    const counted = sql`embeddings where collection_id = 2`
    expect(await service.database.short.db.$count(counted)).toBe(0)
    expect(await service.database.short.db.$count(sql`collections`)).toBe(2)
  })
})
