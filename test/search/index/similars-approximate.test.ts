import { beforeAll, describe, expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import type { Answer } from '../../support/client.ts'
import { gospels384, gospels1536 } from '../../support/data/gospels.ts'
import { type Document, modeOf, projectOf, structured } from '../../support/data/indexed.ts'
import { type Query, type Result, searchBy, searchFrom } from '../../support/data/similars.ts'
import { byBytes, rankedBy } from '../../support/data/vectors.ts'
import type { Project } from '../../support/factories.ts'

/** What float32 arithmetic over thousands of elements may be off. */
const tolerance = 1e-5

interface True {
  readonly id: string
  readonly similarity: number
  readonly book: string
}

const bookOf = ({ metadata }: Document): string => Reflect.get(Object(metadata), 'ref')?.book ?? ''

/** All documents, the nearest first. */
function trueRanking(documents: readonly Document[], vector: readonly number[]): True[] {
  const books = new Map(documents.map((document) => [document.text_id, bookOf(document)]))
  return rankedBy(vector, documents).map((each) => ({ ...each, book: books.get(each.id) ?? '' }))
}

const chosen = (documents: readonly Document[], count: number) => {
  const random = randomNumbers(documents.length)
  return Array.from(
    { length: count },
    () => documents[Math.floor(random() * documents.length)],
  ).filter((document) => document !== undefined)
}

/** A class of dimensions and of sizes: how vectors are indexed and how hard the index is searched. */
const sets: [name: string, documents: () => Document[]][] = [
  ['3,779 verses × 384', gospels384],
  ['2,000 verses × 1,536', gospels1536],
  ['6,000 structured × 32', () => structured(6_000, 32)],
  ['1,200 structured × 768', () => structured(1_200, 768)],
  ['300 structured × 4,200', () => structured(300, 4_200)],
]
describe.each(sets)('a search with an index of %s', (_, load) => {
  it('finds 99 of 100 of the true ten, also with a filter, and all of them when exact', async () => {
    const documents = load()
    const project = await projectOf(documents)
    const sources = chosen(documents, 25)
    const found = { approximate: 0, filtered: 0, exact: 0 }
    for (const source of sources) {
      const others = trueRanking(documents, source.vector).filter(({ id }) => id !== source.text_id)
      const count = async (kind: keyof typeof found, kept: readonly True[], query: object) => {
        const answer = await searchFrom(project, source.text_id, { threshold: 0, ...query })
        expect(modeOf(answer)).toBe(kind === 'exact' ? 'exact' : 'approximate')
        found[kind] += right(answer.body.results, kept)
      }
      const book = bookOf(source)
      const filter = { metadata_path: 'ref.book', metadata_value: book }
      await count('approximate', others, {})
      await count(
        'filtered',
        others.filter((other) => other.book !== book),
        filter,
      )
      await count('exact', others, { exact: 'true' })
    }
    const all = 10 * sources.length
    expect(found.exact).toBe(all)
    expect(found.approximate / all).toBeGreaterThanOrEqual(0.99)
    expect(found.filtered / all).toBeGreaterThanOrEqual(0.99)
  })
})

/** How many results are as similar as the true tenth; equal texts are ties. */
function right(results: readonly Result[], truth: readonly True[]): number {
  const byId = new Map(truth.map((other) => [other.id, other.similarity]))
  const tenth = truth[9]?.similarity ?? 0
  for (const { id, similarity } of results) {
    expect(Math.abs(similarity - (byId.get(id) ?? -1))).toBeLessThan(tolerance)
  }
  return results.filter(({ id }) => (byId.get(id) ?? -1) >= tenth - tolerance).length
}

/** Every page until one that is not full, each of which must be in order. */
async function allPages(search: (page: object) => Promise<Answer>, sizeOfPage: () => number) {
  const seen: Result[] = []
  const modes = new Set<string | null>()
  for (let full = true; full; ) {
    const limit = sizeOfPage()
    const answer = await search({ limit, offset: seen.length })
    const page: Result[] = answer.body.results
    expect(page).toEqual(page.toSorted(bySimilarity))
    modes.add(modeOf(answer))
    seen.push(...page)
    full = page.length === limit
  }
  const ids = seen.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  return { ids, modes }
}

const bySimilarity = (a: Result, b: Result) => b.similarity - a.similarity || byBytes(a.id, b.id)

describe('pages of an approximate ranking', () => {
  it('are in order and have no gaps and no repeats, whatever their size, threshold and filter', async () => {
    const documents = structured(1_500, 96, 3)
    const project = await projectOf(documents)
    const random = randomNumbers(17)
    const totals = { found: 0, expected: 0 }
    const seenModes = new Set<string | null>()
    for (const [run, source] of chosen(documents, 12).entries()) {
      const book = run % 2 ? bookOf(source) : undefined
      const filter = book === undefined ? {} : { metadata_path: 'ref.book', metadata_value: book }
      const threshold = [0, 0.3, 0.6][run % 3] ?? 0
      const expected = trueRanking(documents, source.vector)
        .filter((other) => other.book !== book && other.similarity >= threshold - 1e-6)
        .map(({ id }) => id)
      const { ids, modes } = await allPages(
        (page) => searchBy(project, source.vector, { ...page, threshold, ...filter }),
        () => 1 + Math.floor(random() * (run < 6 ? 40 : 200)),
      )
      for (const mode of modes) seenModes.add(mode)
      expect(new Set(expected)).toEqual(new Set([...expected, ...ids]))
      // The exact search behind the index, which no threshold has ended, leaves nothing out.
      if (modes.has('exact')) expect(ids.length).toBe(expected.length)
      totals.found += ids.length
      totals.expected += expected.length
    }
    expect(totals.found).toBeGreaterThanOrEqual(0.99 * totals.expected)
    expect([...seenModes].sort()).toEqual(['approximate', 'exact'])
  })
})

describe('an exact search', () => {
  const documents = structured(1_500, 96, 5)
  const deep = { offset: 1_000, limit: 10, threshold: 0 }
  const [source = { text_id: '', vector: [] }] = documents
  let shared: Project
  beforeAll(async () => {
    shared = await projectOf(documents)
  })

  async function expectExact(project: Project, query: Query) {
    expect(modeOf(await searchFrom(project, source.text_id))).toBe('approximate')
    const answer = await searchFrom(project, source.text_id, query)
    const exact = await searchFrom(project, source.text_id, { ...query, exact: 'true' })
    expect(modeOf(answer)).toBe('exact')
    expect(answer.body.results).toEqual(exact.body.results)
  }

  it('answers where an index cannot, for pages far down', async () => {
    await expectExact(shared, deep)
  })

  it('answers where an index cannot, when a filter leaves out nearly everything', async () => {
    const stored = documents.map(({ text_id, vector }, index) => ({
      text_id,
      vector: vector.map(Math.abs),
      metadata: { kept: index % 50 ? 'no' : 'yes' },
    }))
    const query = { threshold: 0, limit: 200, metadata_path: 'kept', metadata_value: 'no' }
    await expectExact(await projectOf(stored), query)
  })

  it('does not follow once what the index finds falls below the threshold', async () => {
    for (const source of chosen(documents, 10)) {
      const query = { threshold: 0.97, limit: 200 }
      const answer = await searchFrom(shared, source.text_id, query)
      const exact = await searchFrom(shared, source.text_id, { ...query, exact: 'true' })
      expect(modeOf(answer)).toBe('approximate')
      expect(answer.headers.get('server-timing')).not.toContain('exact')
      expect(answer.body.results).toEqual(exact.body.results)
    }
  })
})
