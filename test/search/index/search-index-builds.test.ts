import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { modelOf } from '../../shared/model.ts'
import { adminKey } from '../../support/app.ts'
import { createClient } from '../../support/client.ts'
import {
  type Document,
  longDimensions,
  modeOf,
  part,
  structured,
} from '../../support/data/indexed.ts'
import { embedding } from '../../support/factories.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

const dimensions = longDimensions
const documents = structured(24 * part, dimensions)

let close = async () => {}
afterEach(() => close())

/** A service whose project `ann/texts` has no embeddings yet. */
async function start() {
  const service = await startOwnService()
  close = service.close
  const call = createClient(service)
  const put = async (path: string, body: object) => {
    expect((await call('PUT', path, { key: adminKey, body })).status).toBe(201)
  }
  await put('/v1/users/ann', {})
  const model = modelOf(dimensions)
  await put('/v1/llm-services/ann/model', model)
  await put('/v1/projects/ann/texts', { instance_owner: 'ann', instance_handle: 'model' })
  return {
    ...service,
    async upload(batch: readonly Document[]) {
      const items = batch.map(({ text_id, vector }) => embedding(text_id, [...vector]))
      const body = { embeddings: items }
      const answer = await call('POST', '/v1/embeddings/ann/texts', { key: adminKey, body })
      expect(answer.status).toBe(201)
    },
    async mode() {
      const path = `/v1/similars/ann/texts/${encodeURIComponent(documents[0]?.text_id ?? '')}`
      return modeOf(await call('GET', path, { key: adminKey }))
    },
  }
}

describe('a project that is being uploaded', () => {
  it('is indexed once it hardly grows between two looks, whichever server takes them', async () => {
    const { searchIndexes, upload, mode } = await start()
    await upload(documents.slice(0, 22 * part))
    await searchIndexes.reconcile()
    await upload(documents.slice(22 * part))
    await searchIndexes.reconcile()
    expect(await mode()).toBe('exact')
    await searchIndexes.reconcile()
    expect(await mode()).toBe('approximate')
    expect(searchIndexes.tally).toMatchObject({ built: 1, failed: 0 })
  })
})

describe.skipIf(inject('engine') !== 'postgres')('a build by several processes', () => {
  it('that lacks shared memory is made up for by one process', async (test) => {
    const { database, searchIndexes, upload, mode } = await start()
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
    await upload(documents)
    await searchIndexes.reconcile()
    await expect(searchIndexes.reconcile()).rejects.toThrow()
    expect(await mode()).toBe('exact')
    await searchIndexes.reconcile()
    expect(await mode()).toBe('approximate')
    expect(searchIndexes.tally).toMatchObject({ built: 1, failed: 1 })
  })
})
