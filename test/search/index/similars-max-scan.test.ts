import { afterEach, describe, expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { type Document, structured } from '../../support/data/indexed.ts'
import { askerOf, makeProject, store } from '../../support/servers/own-projects.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

let close = async () => {}
afterEach(() => close())

/** Searches a project with an index. */
async function searchesOf(maxScan: number, documents: readonly Document[]) {
  const service = await startOwnService({ maxScan })
  close = service.close
  const request = askerOf(service)
  await makeProject(request, 'ann/texts', documents[0]?.vector.length ?? 0)
  await store(request, 'ann/texts', documents)
  for (let look = 0; look < 2; look += 1) await service.searchIndexes.reconcile()
  const similar = async (query: string) => {
    const path = `/v1/similars/ann/texts/${documents[7]?.text_id}?threshold=0&${query}`
    const { status, headers, body } = await request('GET', path)
    expect(status).toBe(200)
    const ids: string[] = body.results.map(({ id }: { id: string }) => id)
    const [mode, note, strategy] = ['x-search-mode', 'x-search-note', 'server-timing'].map((name) =>
      headers.get(name),
    )
    return { ids, mode, note, strategy }
  }
  return { request, similar }
}

const maxScan = 100_000
const large = structured(1_200, 96, 8).map((document, at) => ({
  ...document,
  metadata: { kept: at % 50 ? 'no' : 'yes' },
}))

describe('a project beyond SERVICE_MAXSCAN', () => {
  it('is answered what the index finds', async () => {
    const { request, similar } = await searchesOf(maxScan, large)
    for (const query of ['offset=500', 'limit=200&metadata_path=kept&metadata_value=no']) {
      const { ids, mode, strategy } = await similar(query)
      expect(mode).toBe('approximate')
      expect(strategy).not.toContain('exact')
      const exact = await similar(`${query}&exact=true`)
      expect(exact.mode).toBe('exact')
      expect(exact.ids).toEqual(expect.arrayContaining(ids))
    }
    expect((await request('GET', '/v1/limits')).body.max_scan_components).toBe(maxScan)
  })

  it('has full pages where a filter keeps more than a page holds', async () => {
    const { similar } = await searchesOf(maxScan, large)
    const ids = async (query: string) =>
      (await similar(`metadata_path=kept&metadata_value=yes&${query}`)).ids
    const whole = await ids('limit=200')
    expect(whole).toHaveLength(200)
    const pages = await Promise.all(
      [0, 50, 100, 150].map((offset) => ids(`limit=50&offset=${offset}`)),
    )
    expect(pages.flat()).toEqual(whole)
  })

  it('is told where its index may find less than was asked for', async () => {
    const { similar } = await searchesOf(maxScan, large)
    const note =
      'The search index may miss more of the true results than was asked for; exact=true finds all'
    expect(await similar('min_recall=0.995')).toMatchObject({ mode: 'approximate', note })
    expect(await similar('')).toMatchObject({ mode: 'approximate', note: null })
  })
})

describe('an index of signs, which are all the same', () => {
  const random = randomNumbers(4)
  const alike = Array.from({ length: 300 }, (_, at) => ({
    text_id: `t${at}`,
    vector: Array.from({ length: 4_200 }, () => Math.round(random() * 1e4) / 1e4),
  }))

  it('hides nothing where the project can be scanned, and is told of where it cannot', async () => {
    const scanned = await searchesOf(1e9, alike)
    for (const query of ['', 'limit=50', 'offset=40']) {
      const { ids } = await scanned.similar(query)
      expect(ids).toEqual((await scanned.similar(`${query}&exact=true`)).ids)
    }
    await close()
    const { similar } = await searchesOf(maxScan, alike)
    const note = expect.stringContaining('exact=true finds all')
    expect(await similar('')).toMatchObject({ mode: 'approximate', note })
  })
})
