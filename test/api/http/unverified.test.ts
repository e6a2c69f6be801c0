import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Database } from '../../../src/db/database.ts'
import { adminKey } from '../../support/app.ts'
import { startOwnService } from '../../support/servers/own-service.ts'
import type { postgresOfRun } from '../../support/servers/postgres-place.ts'

const crowd = 400

/** Lets no look-up be answered until the one that it returns is called. */
async function holdLookups(database: Database, place: ReturnType<typeof postgresOfRun>) {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  if (place === undefined) {
    void database.short.transaction(() => held)
    return letGo
  }
  const sql = postgres({ ...place, max: 1, onnotice: () => {} })
  const holder = await sql.reserve()
  await holder`begin`
  await holder`lock table users in access exclusive mode`
  void held.then(async () => {
    await holder`rollback`
    await sql.end()
  })
  return letGo
}

const randomName = () => randomBytes(12).toString('hex')

it.each([
  ['keys that nobody has', () => ({ path: '/v1/me', key: randomName() })],
  [
    'nothing that is public, of many owners',
    () => ({ path: `/v1/projects/${randomName()}/p`, key: undefined }),
  ],
])('a crowd that asks with %s keeps no user waiting', async (_, next) => {
  const { app, database, place, close } = await startOwnService({}, false)
  onTestFinished(close)
  const ask = (path: string, key: string | undefined, method = 'GET') =>
    app.request(path, {
      method,
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      body: method === 'PUT' ? '{}' : null,
    })
  const created = await ask('/v1/users/ann', adminKey, 'PUT')
  const { api_key } = z.object({ api_key: z.string() }).parse(await created.json())
  const asUser = () => ask('/v1/me', api_key)
  expect((await asUser()).status).toBe(200)

  const letGo = await holdLookups(database, place)
  let refused = 0
  const others = Array.from({ length: crowd }, async () => {
    const { path, key } = next()
    const { status } = await ask(path, key)
    if (status === 401) refused += 1
    return status
  })
  await expect
    .poll(() => database.load()[place ? 'short' : 'embedded']?.queued)
    .toBeGreaterThan(300)
  const answer = asUser()
  letGo()
  expect((await answer).status).toBe(200)
  expect(refused).toBeLessThan(crowd / 2)
  // On a busy machine some wait for longer than the queue allows.
  const statuses = new Set(await Promise.all(others))
  statuses.delete(503)
  expect([...statuses]).toEqual([401])
})
