import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { cacheLimits } from '../../support/app.ts'
import { isFromMemory } from '../../support/data/cached.ts'
import { type Ask, askerOf, makeProject, store } from '../../support/servers/own-projects.ts'
import { startBeside, startOwnService } from '../../support/servers/own-service.ts'
import { waitUntil } from '../../support/wait.ts'

const dimensions = 8
const random = randomNumbers(14)
const newVector = () => Array.from({ length: dimensions }, () => Math.fround(random() - 0.5))

let first: Awaited<ReturnType<typeof startOwnService>>
let servers: { ask: Ask; cache: typeof first.vectorCache }[] = []

const ask = (server: number, ...request: Parameters<Ask>) =>
  (servers[server] ?? expect.fail()).ask(...request)

/** By the first server. */
const upload = (project: string, ids: readonly string[]) =>
  store(
    askerOf(first),
    project,
    ids.map((text_id) => ({ text_id, vector: newVector() })),
  )

const held = (server: number) => servers[server]?.cache.usage().held ?? expect.fail()

/** Searches there until its vectors are in memory as they are by now. */
async function untilHeld(server: number, project: string) {
  const body = { vector: newVector(), threshold: 0 }
  const search = () => ask(server, 'POST', `/v1/similars/${project}`, body)
  await waitUntil(async () => isFromMemory(await search()), 20)
}

async function newProject(project: string, ids: readonly string[] = ['a', 'b']) {
  await makeProject(askerOf(first), project, dimensions)
  await upload(project, ids)
  return project
}

/** Two servers on one database. */
describe('vectors in memory', () => {
  beforeAll(async () => {
    first = await startOwnService({ cacheLimits })
    servers = [first, startBeside(first, { cacheLimits })].map((server) => ({
      ask: askerOf(server),
      cache: server.vectorCache,
    }))
  })
  afterAll(() => first.close())

  it('go with their project and their user, at once or after a look of another server', async () => {
    const projects = [
      await newProject('ann/deleted'),
      await newProject('ann/emptied'),
      await newProject('ann/kept'),
      await newProject('bob/of-a-user'),
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
    const project = await newProject('cid/long', ids)
    await untilHeld(1, project)
    const before = held(1).at(-1)
    for (let time = 0; time < 4; time += 1) {
      const short = Array.from({ length: 20 }, (_, at) => `s${at}`)
      await upload(project, short)
      const deleted = await ask(0, 'POST', `/v1/embeddings/${project}/delete`, { text_ids: short })
      expect(deleted.body.deleted_count).toBe(20)
      await untilHeld(1, project)
    }
    expect(held(1).at(-1)).toEqual(before)
  })
})
