import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { cacheLimits, indexLimits } from '../../support/app.ts'
import { type Document, structured } from '../../support/data/indexed.ts'
import { type Ask, askerOf, makeProject, store } from '../../support/servers/own-projects.ts'
import { startOwnService } from '../../support/servers/own-service.ts'
import { waitUntil } from '../../support/wait.ts'

const dimensions = 192
const documents = structured(6_000, dimensions, 12)
const sought = documents[17]?.vector ?? []
const similarity = (vector: readonly number[]) =>
  vector.reduce((sum, component, at) => sum + component * (sought[at] ?? 0), 0) /
  Math.hypot(...vector)
/** The most similar first. */
const ranked = [...documents].sort((a, b) => similarity(b.vector) - similarity(a.vector))
/** In which share of the ranking, counted from its beginning, a document is. */
const shares = [0.02, 0.1, 0.5, 0.99]
const metadataOf = new Map(
  ranked.map(({ text_id }, at) => [
    text_id,
    Object.fromEntries(shares.map((share) => [`s${share * 100}`, at < share * ranked.length])),
  ]),
)

/** Without clusters, and with a little in many directions: what is near is hard to tell in few. */
function evenlySpread(count: number): Document[] {
  const random = randomNumbers(5)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Array.from({ length: count }, (_, at) => ({
    text_id: `t${at}`,
    vector: Array.from({ length: dimensions }, (_, axis) => normal() * 0.98 ** axis),
    metadata: { half: at % 2 },
  }))
}

let close = async () => {}
let request: Ask

/** Until not all vectors of the project are compared any more. */
async function newProject(project: string, items: readonly Document[]): Promise<void> {
  await makeProject(request, `ann/${project}`, dimensions)
  await store(request, `ann/${project}`, items)
  const isApproximate = async () => {
    const answer = await search('limit=10', items[17]?.vector, project)
    return answer.headers.get('x-search-mode') === 'approximate'
  }
  await waitUntil(isApproximate, 100)
}

const search = (query: string, vector = sought, project = 'texts') =>
  request('POST', `/v1/similars/ann/${project}?threshold=0&${query}`, { vector })

describe('a search where not all vectors are compared', () => {
  beforeAll(async () => {
    // Indexes of the database would answer in place of what is in memory.
    const own = await startOwnService({
      indexLimits: { ...indexLimits, exactBudget: Number.POSITIVE_INFINITY },
      cacheLimits: { ...cacheLimits, exactBudget: 100_000 },
    })
    close = own.close
    request = askerOf(own)
    await newProject(
      'texts',
      documents.map((each) => ({ ...each, metadata: metadataOf.get(each.text_id) ?? {} })),
    )
  })
  afterAll(() => close())

  it.each(
    shares,
  )('finds the next ones when a filter leaves out the nearest %d of a project', async (share) => {
    const filter = `metadata_path=s${share * 100}&metadata_value=true`
    for (const page of ['limit=10', 'limit=50', 'limit=20&offset=30']) {
      const answer = await search(`${page}&${filter}`)
      const exact = await search(`${page}&${filter}&exact=true`)
      expect(exact.headers.get('x-search-mode')).toBe('exact')
      const wanted = exact.body.results.map(({ id }: { id: string }) => id)
      const found = answer.body.results.map(({ id }: { id: string }) => id)
      expect(found).toHaveLength(wanted.length)
      for (const id of found)
        expect(metadataOf.get(id)).toMatchObject({ [`s${share * 100}`]: false })
      const hits = found.filter((id: string) => wanted.includes(id))
      expect(hits.length).toBeGreaterThanOrEqual(0.95 * wanted.length)
    }
  })

  it('has all on its pages, each once, whatever their sizes', async () => {
    const spread = evenlySpread(4_000)
    await newProject('spread', spread)
    for (let at = 5; at < spread.length; at += 360) {
      for (const kept of ['', '&metadata_path=half&metadata_value=1']) {
        const idsOn = async (limit: number, offset: number): Promise<string[]> => {
          const page = `limit=${limit}&offset=${offset}${kept}`
          const { body } = await search(page, spread[at]?.vector, 'spread')
          return body.results.map(({ id }: { id: string }) => id)
        }
        const pages: string[] = []
        for (const limit of [7, 10, 5, 28, 50, 30]) {
          pages.push(...(await idsOn(limit, pages.length)))
        }
        expect(new Set(pages).size).toBe(130)
        for (const limit of [10, 50, 100, 130]) {
          expect((await idsOn(limit, 0)).toSorted()).toEqual(pages.slice(0, limit).toSorted())
        }
      }
    }
  })
})
