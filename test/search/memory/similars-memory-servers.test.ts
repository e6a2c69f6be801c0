import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { collectionChanges } from '../../../src/db/schema.ts'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { cacheLimits } from '../../support/app.ts'
import { isFromMemory } from '../../support/data/cached.ts'
import { type Ask, askerOf, makeProject, store } from '../../support/servers/own-projects.ts'
import { startBeside, startOwnService } from '../../support/servers/own-service.ts'
import { startServiceInMemory } from '../../support/servers/service-in-memory.ts'
import { waitUntil } from '../../support/wait.ts'

const dimensions = 64
const random = randomNumbers(9)
const newVector = () => Array.from({ length: dimensions }, () => Math.fround(random() - 0.5))

let close = async () => {}
let writer: Ask
let reader: Ask
let cache: Awaited<ReturnType<typeof startOwnService>>['vectorCache']
let forget = async () => {}

const documentsOf = (ids: readonly string[]) =>
  ids.map((text_id) => ({ text_id, vector: newVector() }))

/** Two servers on one database, of which only the second searches. */
describe('a server with vectors in memory', () => {
  beforeAll(async () => {
    const settings = { cacheLimits: { ...cacheLimits, exactBudget: 10_000 } }
    const first = await startOwnService(settings)
    close = first.close
    const second = startBeside(first, settings)
    ;[writer, reader] = [askerOf(first), askerOf(second)]
    cache = first.vectorCache
    forget = async () => {
      const changedAt = new Date(Date.now() - 3_600_000)
      await first.database.maintenance.db.update(collectionChanges).set({ changedAt })
      await first.cleaner.clean()
      const left = await first.database.maintenance.db.select().from(collectionChanges)
      expect(left).toHaveLength(0)
    }
    for (const project of ['ann/others', 'ann/scaled']) {
      await makeProject(writer, project, dimensions)
    }
  })
  afterAll(() => close())

  it('reads what another server has changed, and all anew only where that is forgotten', async () => {
    const path = '/v1/embeddings/ann/others'
    const upload = (ids: readonly string[]) => store(writer, 'ann/others', documentsOf(ids))
    await upload(Array.from({ length: 300 }, (_, at) => `t${at}`))
    // The server that has stored them reads them without a search.
    await waitUntil(async () => cache.usage().held[0]?.isReady === true)
    const told = vi.spyOn(Worker.prototype, 'postMessage')
    const readings = () => told.mock.calls.filter(([{ request }]) => request?.do === 'begin').length
    const sought = { text_id: 't0', threshold: 0, include_self: true, limit: 1 }
    const search = () => reader('POST', '/v1/similars/ann/others', sought)
    const untilCurrent = () => waitUntil(async () => isFromMemory(await search()), 20)
    await untilCurrent()
    expect(readings()).toBe(1)
    for (let round = 0; round < 5; round += 1) {
      await upload([`n${round}`])
      await writer('DELETE', `${path}/t${round + 1}`)
      await writer('POST', `${path}/delete`, { text_ids: [`t${round + 50}`, `t${round + 60}`] })
      await untilCurrent()
    }
    expect(readings()).toBe(1)
    await upload(['last'])
    await forget()
    await untilCurrent()
    expect(readings()).toBe(2)
    vi.restoreAllMocks()
  })

  it('measures no scale before it knows most of what another server has uploaded', async () => {
    const upload = (begin: number, count: number) => {
      const ids = Array.from({ length: count }, (_, at) => `t${begin + at}`)
      return store(writer, 'ann/scaled', documentsOf(ids))
    }
    const shown = new Set<number | undefined>()
    const measuredOf = async (texts: number) => {
      const { body } = await reader('GET', '/v1/projects/ann/scaled/statistics')
      shown.add(body.scale?.texts)
      return body.scale?.texts === texts
    }
    await upload(0, 100)
    await waitUntil(() => measuredOf(100))
    shown.clear()
    await upload(100, 300)
    await waitUntil(() => measuredOf(400))
    expect([...shown].filter((texts) => texts !== undefined)).toEqual([400])
  })
})

it('lets those with a key go before the many of one without', async () => {
  const { service, state, request } = await startServiceInMemory(dimensions, newVector)
  const { database, vectorCache } = service
  let found = 0
  const ask = (name: string, isKeyless: boolean) => {
    const { signal } = new AbortController()
    const requester = { name, isKeyless, signal }
    return database.onBehalfOf(requester, () => vectorCache.nearest(state, request))
  }
  const crowd = Array.from({ length: 300 }, () =>
    ask('strangers', true).then((nearest) => {
      if (nearest !== undefined) found += 1
    }),
  )
  expect(await ask('ann', false)).toBeDefined()
  expect(found).toBeLessThan(30)
  await Promise.all(crowd)
  expect(found).toBe(300)
  await service.close()
})

/** Four whole numbers whose squares have this sum. */
function fourSquares(sum: number): number[] {
  const root = (left: number) => Math.floor(Math.sqrt(left))
  for (let a = root(sum); ; a -= 1) {
    for (let b = root(sum - a ** 2); b >= 0; b -= 1) {
      const left = sum - a ** 2 - b ** 2
      for (let c = root(left); 2 * c ** 2 >= left; c -= 1) {
        const d = root(left - c ** 2)
        if (d ** 2 === left - c ** 2) return [a, b, c, d]
      }
    }
  }
}

it('computes similarities that lie between two of nine digits as the database does', async () => {
  const own = await startOwnService({ cacheLimits })
  const bare = startBeside(own, { cacheLimits: { ...cacheLimits, maxBytes: 0 } })
  const [inMemory, inDatabase] = [askerOf(own), askerOf(bare)]
  await makeProject(inMemory, 'ann/texts', 5)
  // Of length 1024, so that all components of the unit vectors are as given.
  const embeddings = Array.from({ length: 60 }, (_, at) => {
    const first = 1_024 - at
    return { text_id: `t${at}`, vector: [first, ...fourSquares(1_024 ** 2 - first ** 2)] }
  })
  await store(inMemory, 'ann/texts', embeddings)
  const search = (ask: Ask) =>
    ask('POST', '/v1/similars/ann/texts', { vector: [1, 0, 0, 0, 0], limit: 60 })
  await waitUntil(async () => isFromMemory(await search(inMemory)))
  expect((await search(inMemory)).body).toEqual((await search(inDatabase)).body)
  await own.close()
})
