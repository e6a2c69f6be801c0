import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { call } from '../../support/client.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'
import type { postgresOfRun } from '../../support/servers/postgres-place.ts'
import { startServiceOfAnn } from '../../support/servers/service-of-ann.ts'

/** More than any queue gives to one who asks for much. */
const crowd = 600

it('a crowd that reads a public project keeps no other user waiting, nor from being answered', async () => {
  const open = await newProject({ public_read: true })
  await upload(open, embedding('a', [1, 0, 0]), embedding('b', [0, 1, 0]))
  const other = await newProject()
  await upload(other, embedding('own', [1, 1, 0]))
  // Those who wait for too long are refused all at once, on a busy machine long before the user has all answers.
  let served = 0
  const others = Array.from({ length: crowd }, async () => {
    const { status } = await call('GET', `${open.path('similars')}/a?threshold=0`)
    if (status === 200) served += 1
    return status
  })
  const { key } = other.owner
  for (const path of [other.path(), `${other.path('embeddings')}/own`, other.path('embeddings')]) {
    expect((await call('GET', path, { key })).status).toBe(200)
  }
  expect((await call('GET', `${other.path('similars')}/own`, { key })).status).toBe(200)
  expect(served).toBeLessThan(crowd / 2)
  const statuses = new Set(await Promise.all(others))
  statuses.delete(503)
  expect([...statuses]).toEqual([200])
})

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
  const { call, key, database, place, close } = await startServiceOfAnn()
  onTestFinished(close)
  const asUser = () => call('GET', '/v1/me', { key })
  expect((await asUser()).status).toBe(200)

  const letGo = await holdLookups(database, place)
  let refused = 0
  const others = Array.from({ length: crowd }, async () => {
    const { path, key } = next()
    const { status } = await call('GET', path, { key })
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
