import { expect, it } from 'vitest'
import { continueExactly } from '../../src/search/index/index-search.ts'
import type { Candidate, Search } from '../../src/search/query.ts'
import { newQuery } from '../support/data/query.ts'

const search = (offset: number): Search => ({
  query: newQuery({ collectionId: 1, dimensions: 2 }, 'source'),
  page: { limit: 10, offset },
  collection: { collectionId: 1, dimensions: 2, vectors: 9, revision: 1, history: '' },
  ...{ index: null, minRecall: undefined, canScan: true },
})

const found = (...distances: number[]): Candidate[] =>
  distances.map((distance) => ({ id: `${distance}`, distance }))

const equallyFar = (...ids: string[]): Candidate[] => ids.map((id) => ({ id, distance: 0.1 }))

// A page of a head that is not in order has not what an exact search has there.
it.each([
  ['in order', found(0.1, 0.2), found(0.3), 'exact'],
  ['behind the rest', found(0.1, 0.4), found(0.3), 'approximate'],
  ['with what a later stage has found', found(0.1, 0.3, 0.2), found(0.4), 'approximate'],
  ['with ties by text_id', equallyFar('a', 'b'), [], 'exact'],
  ['with other ties', equallyFar('b', 'a'), [], 'approximate'],
] as const)('a ranking that begins %s is told to be so', async (_, head, rest, mode) => {
  const nearest = rest[0]?.distance ?? Number.POSITIVE_INFINITY
  const ranking = await continueExactly(search(0), head, async () => ({
    candidates: [...rest],
    nearest,
  }))
  expect(ranking.mode).toBe(mode)
  expect(ranking.results).toHaveLength(head.length + rest.length)
})
