import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { maxLockingOf } from '../../src/db/connections.ts'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { adminKey } from '../support/app.ts'
import { createClient } from '../support/client.ts'
import { startBeside, startOwnService } from '../support/servers/own-service.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

const blocked = 30

/** An app whose short pool has so many connections, on a database of its own. */
async function startWith(short: number) {
  const prepared = await startOwnService()
  const { place } = prepared
  if (place === undefined) throw new Error('only with PostgreSQL')
  const database = await openPostgres(place, {
    connections: { short, search: 1, bulk: 1, maintenance: 2 },
  })
  const client = createClient(startBeside({ database }))
  const sql = postgres({ ...place, max: 1, onnotice: () => {} })
  onTestFinished(async () => {
    await sql.end({ timeout: 1 })
    await database.close()
    await prepared.close()
  })
  const call = (method: string, path: string, key: string, body?: object) =>
    client(method, path, { key, body })
  return { call, sql, load: () => database.load()['short'] }
}

describe.skipIf(postgresOfRun() === undefined)('while all transactions wait for locks', () => {
  it.each([2, 10])('it is found out who asks, with %i connections', async (connections) => {
    const { call, sql, load } = await startWith(connections)
    const keys: Record<string, string> = {}
    for (const handle of ['ann', 'bob', 'eve']) {
      keys[handle] = (await call('PUT', `/v1/users/${handle}`, adminKey, {})).body.api_key
    }
    const standard = { description: '', key_method: 'auth_bearer', key_field: 'Authorization' }
    expect((await call('PUT', '/v1/api-standards/a', adminKey, standard)).status).toBe(201)
    const holder = await sql.reserve()
    await holder`begin`
    await holder`select from users for update`
    await holder`select from api_standards for update`
    // Single statements that write wait for rows as transactions do.
    const users = Object.entries(keys)
    const changes = Array.from({ length: blocked }, (_, index) => {
      const [handle, key] = users[index % (users.length + 1)] ?? []
      return handle === undefined || key === undefined
        ? call('PUT', '/v1/api-standards/a', adminKey, standard)
        : call('PATCH', `/v1/users/${handle}`, key, { name: `name ${index}` })
    })
    const running = maxLockingOf(connections)
    const allWait = { running, queued: blocked - running }
    await expect.poll(load).toMatchObject(allWait)
    for (const [handle, key] of [...users, ...users, ...users]) {
      expect((await call('GET', `/v1/users/${handle}`, key)).status).toBe(200)
    }
    expect((await call('GET', '/v1/users/ann', adminKey)).status).toBe(200)
    expect((await call('GET', '/v1/users/ann', "nobody's key of them all")).status).toBe(401)
    expect(load()).toMatchObject(allWait)
    await holder`rollback`
    holder.release()
    for (const { status } of await Promise.all(changes)) expect(status).toBe(200)
    expect(load()).toMatchObject({ running: 0, queued: 0, refused: 0 })
  })
})
