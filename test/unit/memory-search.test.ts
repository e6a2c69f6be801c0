import { expect, it } from 'vitest'
import type { VectorCache } from '../../src/search/memory/vector-cache.ts'
import { rankInMemory } from '../../src/search/memory-search.ts'
import { newQuery } from '../support/data/query.ts'

const collection = { collectionId: 1, dimensions: 2, vectors: 100, revision: 1, history: '' }

/** A cache of the one embedding that the filter keeps, and of others. */
function cacheOf(kept: string, others: readonly string[]): VectorCache {
  const candidates: VectorCache['candidates'] = async (_, __, matches) => ({
    textIds: matches === undefined ? others : [kept],
    completeDownTo: -1,
    isExact: true,
  })
  return { candidates, isNewFilter: () => true } as unknown as VectorCache
}

it('the matches of a new filter are looked for if it takes too long for the candidates', async () => {
  const tooLong = Object.assign(new Error('the filter took too long'), { code: '2201E' })
  const ranking = await rankInMemory(
    {
      cache: cacheOf('kept', ['a', 'b', 'c']),
      rankListedQuickly: async () => {
        throw tooLong
      },
      rankListed: async () => [{ id: 'kept', distance: 0 }],
      exactly: () => Promise.reject(new Error('nothing is left')),
    },
    {
      query: newQuery({ collectionId: 1, dimensions: 2 }, [1, 1]),
      page: { limit: 10, offset: 0 },
      collection,
      index: undefined,
      minRecall: undefined,
      canScan: true,
      exact: false,
      matches: { key: 'slow', find: async () => '["kept"]' },
    },
  )
  expect(ranking).toMatchObject({ results: [{ id: 'kept', similarity: 1 }], mode: 'exact' })
})
