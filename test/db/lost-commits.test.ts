import { expect, inject, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { embeddings } from '../../src/db/schema.ts'
import { askerOf, makeProject, store } from '../support/servers/own-projects.ts'
import { startBeside, startOwnService } from '../support/servers/own-service.ts'
import { placeOf } from '../support/servers/postgres-place.ts'
import { databaseUrl } from '../support/servers/site.ts'
import { TcpProxy } from '../support/servers/tcp-proxy.ts'

/** A proxy to the tests' server that loses the answer to a COMMIT once it is told to. */
async function losingProxy() {
  let isLosing = false
  const target = placeOf(databaseUrl ?? '')
  const proxy = await TcpProxy.to(target, () => (bytes) => {
    if (!isLosing || !bytes.includes('commit\0')) return 'pass'
    isLosing = false
    return 'drop the answer'
  })
  const lose = () => {
    isLosing = true
  }
  return { proxy, lose }
}

it.runIf(inject('engine') === 'postgres').each([
  ['a project', '/v1/projects/ann/p'],
  ['the embeddings of a project', '/v1/embeddings/ann/p'],
  ['a user', '/v1/users/ann'],
])('the rows of %s are removed soon, also when the answer to COMMIT was lost', async (_, path) => {
  const own = await startOwnService()
  onTestFinished(() => own.close())
  await makeProject(askerOf(own), 'ann/p', 2)
  await store(askerOf(own), 'ann/p', [{ text_id: 'a', vector: [1, 0] }])
  const { proxy, lose } = await losingProxy()
  onTestFinished(() => proxy.close())
  const { place } = own
  if (place === undefined) throw new Error('there is no PostgreSQL')
  const database = await openPostgres({ ...place, host: '127.0.0.1', port: proxy.port })
  onTestFinished(() => database.close())
  const behind = startBeside({ database })
  behind.cleaner.start()
  onTestFinished(() => behind.cleaner.stop())
  lose()
  expect((await askerOf(behind)('DELETE', path)).status).toBe(503)
  // The next regular run comes after a minute.
  const rows = () => own.database.short.db.$count(embeddings)
  await expect.poll(rows).toBe(0)
})
