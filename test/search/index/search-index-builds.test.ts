import { sql } from 'drizzle-orm'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { longDimensions, modeOf, part, structured } from '../../support/data/indexed.ts'
import { askerOf, makeProject, store } from '../../support/servers/own-projects.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

const documents = structured(24 * part, longDimensions)

/** A service whose project `ann/texts` has no embeddings yet. */
async function start() {
  const service = await startOwnService()
  onTestFinished(service.close)
  const ask = askerOf(service)
  await makeProject(ask, 'ann/texts', longDimensions)
  const path = `/v1/similars/ann/texts/${encodeURIComponent(documents[0]?.text_id ?? '')}`
  return { ...service, ask, mode: async () => modeOf(await ask('GET', path)) }
}

describe('a project that is being uploaded', () => {
  it('is indexed once it hardly grows between two looks, whichever server takes them', async () => {
    const { searchIndexes, ask, mode } = await start()
    await store(ask, 'ann/texts', documents.slice(0, 22 * part))
    await searchIndexes.reconcile()
    await store(ask, 'ann/texts', documents.slice(22 * part))
    await searchIndexes.reconcile()
    expect(await mode()).toBe('exact')
    await searchIndexes.reconcile()
    expect(await mode()).toBe('approximate')
    expect(searchIndexes.tally).toMatchObject({ built: 1, failed: 0 })
  })
})

describe.skipIf(inject('engine') !== 'postgres')('a build by several processes', () => {
  it('that lacks shared memory is made up for by one process', async (test) => {
    const { database, searchIndexes, ask, mode } = await start()
    const run = (text: string) => database.short.db.execute(sql.raw(text))
    const [user] = await database.short.db
      .select({ isSuper: sql<string>`current_setting('is_superuser')` })
      .from(sql`(values (1)) as one`)
    test.skip(user?.isSuper !== 'on', 'only a superuser can refuse statements')
    // What PostgreSQL says in a container whose /dev/shm is smaller than the memory for the build.
    await run(`create function refuse() returns event_trigger language plpgsql as $$ begin
      if current_query() like '%hnsw%' and current_setting('max_parallel_maintenance_workers')::int > 0 then
        raise exception 'could not resize shared memory segment' using errcode = 'disk_full';
      end if; end $$`)
    await run(`create event trigger refuse on ddl_command_start when tag in ('CREATE INDEX')
      execute function refuse()`)
    await store(ask, 'ann/texts', documents)
    await searchIndexes.reconcile()
    await expect(searchIndexes.reconcile()).rejects.toThrow()
    expect(await mode()).toBe('exact')
    await searchIndexes.reconcile()
    expect(await mode()).toBe('approximate')
    expect(searchIndexes.tally).toMatchObject({ built: 1, failed: 1 })
  })
})
