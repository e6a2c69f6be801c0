import type { VectorCache } from './memory/vector-cache.ts'
import { needsVectors } from './scale.ts'
import type { Rank } from './search.ts'

/** Results are chosen from so many times as many of the nearest. */
const poolPerResult = 10

/** Ranks with diversity, if it is asked for; without an offset, since each choice depends on all before. */
export function createDiverseRank(cache: Pick<VectorCache, 'diversify'>, rank: Rank): Rank {
  return async (collection, query, options) => {
    const { diversity, limit } = options
    if (diversity === 0) return rank(collection, query, options)
    const pool = await rank(collection, query, { ...options, limit: limit * poolPerResult })
    const textIds = pool.results.map(({ id }) => id)
    const similarities = pool.results.map(({ similarity = 0 }) => similarity)
    const state = { ...collection, dimensions: query.dimensions }
    const asked = { textIds, similarities, limit, diversity }
    const places = textIds.length < 2 ? textIds.keys() : await cache.diversify(state, asked)
    if (typeof places === 'string') needsVectors(places, 'diversity needs vectors in memory')
    const results = [...places].flatMap((place) => pool.results[place] ?? [])
    const there = pool.results.length + (pool.hidden ?? 0)
    const hidden = pool.hidden && Math.max(0, Math.min(limit, there) - results.length)
    return { ...pool, results, hidden }
  }
}
