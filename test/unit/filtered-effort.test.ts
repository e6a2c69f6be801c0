import { describe, expect, it } from 'vitest'
import { parseFilter } from '../../src/filters/parse.ts'
import { indexedPart, jsonPathOf } from '../../src/filters/path-predicate.ts'
import { stagesFor } from '../../src/search/index/effort.ts'
import type { SearchIndex } from '../../src/search/index/policy.ts'

const index = (vectors: number, kind: SearchIndex['kind'] = 'halfvec_l2'): SearchIndex => ({
  ...{ collectionId: 1, vectors, dimensions: 384, kind },
})

const stagesOf = (searched: SearchIndex, kept: number) =>
  stagesFor(searched, { kept, canScan: true })

describe('the effort of a search with a filter', () => {
  it('grows as the filter keeps less, and is for the same results', () => {
    const efforts = [0.9, 0.5, 0.1, 0.05].map((kept) => stagesOf(index(30_000), kept)[0])
    const efSearch = efforts.map((effort) => effort?.efSearch ?? 0)
    expect(efSearch).toEqual(efSearch.toSorted((a, b) => a - b))
    expect(efSearch.at(-1)).toBeGreaterThan(efSearch[0] ?? 0)
    for (const effort of efforts) {
      expect(effort).toMatchObject({ results: 10, scanTuples: undefined })
      expect(effort?.needed).toBeGreaterThanOrEqual(15)
      expect(effort?.needed).toBeLessThan((effort?.efSearch ?? 0) / 2)
    }
  })

  it('is none where the filter keeps too little to be found', () => {
    for (const kept of [0, 0.001, 0.01]) expect(stagesOf(index(30_000), kept)).toEqual([])
  })

  it('is once more the most in a large project, before an exact search', () => {
    const [quick, deep, ...rest] = stagesOf(index(200_000), 0.5)
    expect(quick?.isTriedAgain).toBe(true)
    expect(deep).toMatchObject({ efSearch: 1_000, results: quick?.results })
    expect(rest.every(({ results }) => results > 10)).toBe(true)
    expect(stagesOf(index(30_000), 0.5).some((stage) => stage.isTriedAgain)).toBe(false)
  })

  it('compares all that signs find', () => {
    for (const { candidates, efSearch } of stagesOf(index(30_000, 'bit'), 0.5)) {
      expect(candidates).toBe(efSearch)
    }
  })
})

describe('what the index on metadata finds of a filter', () => {
  const partOf = (filter: object) => {
    const part = indexedPart(parseFilter(filter))
    return part && jsonPathOf(part)
  }
  const both = jsonPathOf(parseFilter({ a: 1, 'b.c': 'x' }))

  it.each([
    [{ a: 1, 'b.c': 'x' }, both],
    [{ a: 1, 'b.c': 'x', d: { $gt: 3 } }, both],
    [{ a: 1, 'b.c': 'x', d: { $ne: 3 } }, both],
  ])('of %j is what has equal values', (filter, part) => {
    expect(partOf(filter)).toBe(part)
  })

  it.each([
    { $or: [{ a: 1 }, { 'b.c': { $in: ['x', 2] } }] },
    { tags: { $contains: 'x' } },
    { a: { $in: [1, null, true] } },
  ])('of %j is all of it', (filter) => {
    expect(partOf(filter)).toBe(jsonPathOf(parseFilter(filter)))
  })

  it.each([
    { a: { $ne: 1 } },
    { a: { $gt: 1 } },
    { a: { $in: [] } },
    { a: { $exists: true } },
    { $not: { a: 1 } },
    { $or: [{ a: 1 }, { b: { $lt: 2 } }] },
    { text_id: 'x' },
    { a: 1, text_id: { $gt: 'x' } },
    { a: 1, created_at: { $gt: '2020-01-01T00:00:00Z' } },
  ])('of %j is nothing', (filter) => {
    expect(partOf(filter)).toBeUndefined()
  })
})
