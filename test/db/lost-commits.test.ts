import { expect, inject, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { embeddings } from '../../src/db/schema.ts'
import { createSealer } from '../../src/secrets/sealing.ts'
import { createApp } from '../../src/server/app.ts'
import { adminKey, appSettings } from '../support/app.ts'
import { watch } from '../support/secrets/watch.ts'
import { encryptionKey, startOwnService } from '../support/servers/own-service.ts'
import { placeOf } from '../support/servers/postgres-place.ts'
import { databaseUrl } from '../support/servers/site.ts'
import { TcpProxy } from '../support/servers/tcp-proxy.ts'

type Fetch = (path: string, init: RequestInit) => Response | Promise<Response>

const headers = { Authorization: `Bearer ${adminKey}` }
const send = (fetch: Fetch, method: string, path: string, body?: object) =>
  fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })

async function store(fetch: Fetch): Promise<void> {
  await send(fetch, 'POST', '/v1/users', { user_handle: 'ann' })
  const service = { endpoint: 'https://a.example', api_standard: 'provider-a', model: 'm' }
  await send(fetch, 'PUT', '/v1/llm-services/ann/m', { ...service, dimensions: 2 })
  const instance = { instance_owner: 'ann', instance_handle: 'm' }
  await send(fetch, 'PUT', '/v1/projects/ann/p', instance)
  const item = { text_id: 'a', instance_handle: 'm', vector: [1, 0], vector_dim: 2 }
  const { status } = await send(fetch, 'POST', '/v1/embeddings/ann/p', { embeddings: [item] })
  expect(status).toBe(201)
}

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
  await store(async (url, init) => own.app.request(url, init))
  const { proxy, lose } = await losingProxy()
  onTestFinished(() => proxy.close())
  const { place } = own
  if (place === undefined) throw new Error('there is no PostgreSQL')
  const database = await openPostgres({ ...place, host: '127.0.0.1', port: proxy.port })
  onTestFinished(() => database.close())
  const sealer = createSealer(encryptionKey)
  const behind = createApp({ ...appSettings, database, sealer, log: watch.log() })
  const app = watch.app(behind.app)
  behind.cleaner.start()
  onTestFinished(() => behind.cleaner.stop())
  lose()
  const { status } = await send(async (url, init) => app.request(url, init), 'DELETE', path)
  expect(status).toBe(503)
  // The next regular run comes after a minute.
  const rows = () => own.database.short.db.$count(embeddings)
  await expect.poll(rows).toBe(0)
})
