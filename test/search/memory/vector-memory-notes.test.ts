import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { cacheLimits } from '../../support/app.ts'
import { watch } from '../../support/secrets/watch.ts'
import { databaseForSeveral } from '../../support/servers/own-database.ts'
import { askerOf, makeProject, store } from '../../support/servers/own-projects.ts'
import { startOwnService } from '../../support/servers/own-service.ts'
import { waitUntil } from '../../support/wait.ts'

type Started = Awaited<ReturnType<typeof startWith>>
const closing: (() => Promise<void>)[] = []
let databases: Awaited<ReturnType<typeof databaseForSeveral>>
beforeAll(async () => {
  databases = await databaseForSeveral()
})
afterAll(() => databases.close())

/** A service with projects of ten embeddings, whose vectors may take so many bytes of memory. */
async function startWith(maxBytes: number, idLength = 2, projects = ['texts']) {
  const warnings: string[] = []
  const log = watch.log()
  vi.spyOn(log, 'warn').mockImplementation((note) => void warnings.push(`${note}`))
  const settings = { cacheLimits: { ...cacheLimits, maxBytes }, log }
  const service = await startOwnService(settings, true, databases.open)
  closing.push(service.close)
  const request = askerOf(service)
  const id = (at: number) => `t${at}`.padEnd(idLength, '-')
  const documents = Array.from({ length: 10 }, (_, at) => ({
    text_id: id(at),
    vector: [1, at / 10],
  }))
  for (const project of projects) {
    await makeProject(request, `ann/${project}`, 2)
    await store(request, `ann/${project}`, documents)
  }
  const asked = vi.spyOn(service.vectorCache, 'nearest')
  /** What searches were told of how they were answered. */
  const told: (string | null)[] = []
  const search = async (project = 'texts', offset = 0) => {
    const path = `/v1/similars/ann/${project}/${id(0)}?limit=2&offset=${offset}`
    const answer = await request('GET', path)
    told.push(answer.headers.get('X-Search-Note'))
    return answer.body.results.map((found: { id: string }) => found.id.replaceAll('-', ''))
  }
  /** Searches, and says whether it was in memory. */
  const isInMemory = async (project: string) => {
    expect(await search(project)).toEqual(['t1', 't2'])
    return (await asked.mock.results.at(-1)?.value) !== undefined
  }
  const add = (text_id: string) => store(request, 'ann/texts', [{ text_id, vector: [-1, 0] }])
  const ready = async () => (await request('GET', '/readyz')).body
  return { warnings, told, search, isInMemory, add, ready }
}

describe('vectors that are not in memory', () => {
  const closeAll = async () => {
    vi.restoreAllMocks()
    for (const close of closing.splice(0)) await close()
  }
  afterEach(closeAll)

  it('are searched in the database, which /readyz, one line of the log and the answers say', async () => {
    const { warnings, told, search, ready } = await startWith(1_000)
    expect(await ready()).toEqual({ status: 'ok' })
    for (let time = 0; time < 3; time += 1) expect(await search()).toEqual(['t1', 't2'])
    expect(warnings).toEqual([expect.stringContaining('SERVICE_VECTORMEMORY (1 MB)')])
    expect(told).toEqual(Array(3).fill(expect.stringContaining('full (SERVICE_VECTORMEMORY)')))
    expect(await ready()).toEqual({ status: 'ok', notes: warnings })
  })

  it('are being read at first, which the answers say', async () => {
    const { told, isInMemory } = await startWith(2 ** 20)
    const times = await searchesUntilKept('texts', isInMemory)
    expect(told).toHaveLength(times)
    expect(told[0]).toContain('are being read into memory')
    expect(told.at(-1)).toBeNull()
  })

  it('are no news far down a ranking, which memory is not asked for', async () => {
    const { told, search } = await startWith(2 ** 20)
    expect(await search('texts', 10_000)).toEqual([])
    expect(told).toEqual([null])
  })

  it('are no news where none were wanted', async () => {
    const { warnings, told, search, ready } = await startWith(0)
    expect(await search()).toEqual(['t1', 't2'])
    expect(told).toEqual([null])
    expect(warnings).toEqual([])
    expect(await ready()).toEqual({ status: 'ok' })
  })

  it('cannot be there without SIMD', async () => {
    vi.spyOn(WebAssembly, 'validate').mockReturnValue(false)
    const { warnings, search, ready } = await startWith(2 ** 30)
    expect(await search()).toEqual(['t1', 't2'])
    expect(warnings).toEqual([expect.stringContaining('no SIMD')])
    expect(await ready()).toEqual({ status: 'ok', notes: warnings })
  })
  /** Searches until its vectors are in memory, and says how often that was. */
  async function searchesUntilKept(project: string, isInMemory: Started['isInMemory']) {
    for (let count = 1; count < 1_000; count += 1) if (await isInMemory(project)) return count
    throw new Error('it is never kept')
  }

  it('are those of what is searched less often, where two have no room together', async () => {
    const { warnings, isInMemory, ready } = await startWith(2_500, 2, ['one', 'two'])
    await searchesUntilKept('one', isInMemory)
    expect(await ready()).toEqual({ status: 'ok' })
    for (let time = 0; time < 20; time += 1) {
      expect(await isInMemory('two')).toBe(false)
      expect(await isInMemory('one')).toBe(true)
    }
    expect(warnings).toEqual([
      expect.stringContaining('less often compare vectors in the database'),
    ])
    expect(await ready()).toEqual({ status: 'ok', notes: warnings })
    // Clearly more often than the other, it takes its place.
    expect(await searchesUntilKept('two', isInMemory)).toBeGreaterThan(10)
    for (let time = 0; time < 20; time += 1) {
      expect(await isInMemory('one')).toBe(false)
      expect(await isInMemory('two')).toBe(true)
    }
  })

  it('count with their text_ids', async () => {
    const short = await startWith(3_000)
    await searchesUntilKept('texts', short.isInMemory)
    expect(short.warnings).toEqual([])
    await closeAll()
    const long = await startWith(3_000, 300)
    await waitUntil(async () => {
      expect(await long.isInMemory('texts')).toBe(false)
      return long.warnings.length > 0
    })
    expect(await long.ready()).toEqual({ status: 'ok', notes: long.warnings })
    for (let time = 0; time < 3; time += 1) expect(await long.isInMemory('texts')).toBe(false)
  })

  it('are in memory no longer when longer text_ids are uploaded', async () => {
    const { warnings, isInMemory, add } = await startWith(9_000)
    await searchesUntilKept('texts', isInMemory)
    for (let at = 0; at < 20; at += 1) await add(`u${at}`.padEnd(300, '-'))
    expect(await isInMemory('texts')).toBe(false)
    expect(warnings).toEqual([expect.stringContaining('SERVICE_VECTORMEMORY (1 MB)')])
  })
})
