import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSealer } from '../../../src/secrets/sealing.ts'
import { createApp } from '../../../src/server/app.ts'
import { modelOf } from '../../shared/model.ts'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { adminKey, appSettings, cacheLimits } from '../../support/app.ts'
import { createClient } from '../../support/client.ts'
import { watch } from '../../support/secrets/watch.ts'
import { encryptionKey, startOwnService } from '../../support/servers/own-service.ts'
import { waitUntil } from '../../support/wait.ts'

const dimensions = 8
const random = randomNumbers(14)
const newVector = () => Array.from({ length: dimensions }, () => Math.fround(random() - 0.5))

let first: Awaited<ReturnType<typeof startOwnService>>
let servers: { call: ReturnType<typeof createClient>; cache: typeof first.vectorCache }[] = []

const ask = (server: number, method: string, path: string, body?: unknown) =>
  (servers[server] ?? expect.fail()).call(method, path, { key: adminKey, body })

const upload = async (server: number, project: string, ids: readonly string[]) => {
  const item = { instance_handle: 'model', vector_dim: dimensions }
  const embeddings = ids.map((text_id) => ({ text_id, vector: newVector(), ...item }))
  const answer = await ask(server, 'POST', `/v1/embeddings/${project}`, { embeddings })
  expect(answer.status).toBe(201)
}

const held = (server: number) => servers[server]?.cache.usage().held ?? expect.fail()

/** Searches there until its vectors are in memory as they are by now. */
async function untilHeld(server: number, project: string) {
  const { cache } = servers[server] ?? expect.fail()
  const asked = vi.spyOn(cache, 'nearest')
  const isCurrent = async () => {
    const body = { vector: newVector(), threshold: 0 }
    expect((await ask(server, 'POST', `/v1/similars/${project}`, body)).status).toBe(200)
    return (await asked.mock.results.at(-1)?.value) !== undefined
  }
  await waitUntil(isCurrent, 20)
  asked.mockRestore()
}

async function newProject(user: string, handle: string, ids: readonly string[]) {
  await ask(0, 'PUT', `/v1/users/${user}`, {})
  const model = modelOf(dimensions)
  await ask(0, 'PUT', `/v1/llm-services/${user}/model`, model)
  const named = { instance_owner: user, instance_handle: 'model' }
  expect((await ask(0, 'PUT', `/v1/projects/${user}/${handle}`, named)).status).toBe(201)
  await upload(0, `${user}/${handle}`, ids)
  return `${user}/${handle}`
}

/** Two servers on one database. */
describe('vectors in memory', () => {
  beforeAll(async () => {
    first = await startOwnService({ cacheLimits })
    const { database } = first
    const settings = { ...appSettings, cacheLimits, database, log: watch.log() }
    const second = createApp({ ...settings, sealer: createSealer(encryptionKey) })
    const app = watch.app(second.app)
    servers = [
      { call: createClient(first), cache: first.vectorCache },
      { call: createClient({ ...second, app }), cache: second.vectorCache },
    ]
  })
  afterAll(() => first.close())

  it('go with their project and their user, at once or after a look of another server', async () => {
    const projects = [
      await newProject('ann', 'deleted', ['a', 'b']),
      await newProject('ann', 'emptied', ['a', 'b']),
      await newProject('ann', 'kept', ['a', 'b']),
      await newProject('bob', 'of-a-user', ['a', 'b']),
    ]
    for (const server of [0, 1]) {
      for (const project of projects) await untilHeld(server, project)
      expect(held(server)).toHaveLength(4)
    }
    first.vectorCache.start()
    await ask(0, 'DELETE', '/v1/projects/ann/deleted')
    await ask(0, 'DELETE', '/v1/embeddings/ann/emptied')
    await ask(0, 'DELETE', '/v1/users/bob')
    await waitUntil(() => held(0).length === 1)
    first.vectorCache.stop()
    expect(held(1)).toHaveLength(4)
    await servers[1]?.cache.clean()
    expect(held(1)).toEqual(held(0))
    for (const server of [0, 1]) await untilHeld(server, 'ann/kept')
  })

  it('take no more after embeddings have come and gone at another server', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => `${at}`.padEnd(200, 'x'))
    const project = await newProject('cid', 'long', ids)
    await untilHeld(1, project)
    const before = held(1).at(-1)
    for (let time = 0; time < 4; time += 1) {
      const short = Array.from({ length: 20 }, (_, at) => `s${at}`)
      await upload(0, project, short)
      const deleted = await ask(0, 'POST', `/v1/embeddings/${project}/delete`, { text_ids: short })
      expect(deleted.body.deleted_count).toBe(20)
      await untilHeld(1, project)
    }
    expect(held(1).at(-1)).toEqual(before)
  })
})
