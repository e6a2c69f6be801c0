import { ServiceError, unprocessable } from '../errors.ts'
import type { SimilarityScale } from './memory/scale.ts'
import type { NotHeld, VectorCache } from './memory/vector-cache.ts'
import { roundingNoise } from './ranking.ts'
import type { Rank } from './search.ts'

/** Why a project has no scale. */
export const noScaleBecause = {
  few: 'The project has fewer than 100 texts',
  reading: 'The vectors of this project are being read into memory; ask again in some seconds',
  room: 'The vectors of this project do not fit into memory (SERVICE_VECTORMEMORY)',
} as const

/** @throws 503 while vectors are being read into memory, 422 if there is no room for them */
export function needsVectors(why: keyof typeof noScaleBecause, needing: string): never {
  const detail = `${needing}: ${noScaleBecause[why]}`
  if (why !== 'reading') throw unprocessable(detail)
  throw new ServiceError('unavailable', detail, { retryAfter: 1, sparesOthers: true })
}

/** The share of pairs that are less similar, 0 to 1. */
export function percentileOf({ pairs }: SimilarityScale, similarity: number): number {
  const reached = similarity - roundingNoise
  let [from, to] = [0, pairs.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((pairs[middle] ?? 2) <= reached) from = middle + 1
    else to = middle
  }
  return from / pairs.length
}

/** The threshold that similarities reach whose percentile is at least this. */
export function similarityAtPercentile({ pairs }: SimilarityScale, percentile: number): number {
  const below = pairs[Math.ceil(percentile * pairs.length) - 1]
  return below === undefined ? 0 : below + 2 * roundingNoise
}

/** Ranks with percentiles, if they are asked for. */
export function createScaledRank(cache: Pick<VectorCache, 'scale'>, rank: Rank): Rank {
  return async (collection, query, options) => {
    const { minPercentile, percentile } = options
    if (minPercentile === undefined && !percentile) return rank(collection, query, options)
    const scale = await cache.scale({ ...collection, dimensions: query.dimensions })
    if (typeof scale === 'string') {
      if (minPercentile !== undefined) needsVectors(scale, 'min_percentile has no scale')
      return rank(collection, query, options)
    }
    const least = minPercentile === undefined ? 0 : similarityAtPercentile(scale, minPercentile)
    const threshold = Math.max(query.threshold, least)
    const ranking = await rank(collection, { ...query, threshold }, options)
    if (!percentile) return ranking
    const results = ranking.results.map((result) => ({
      ...result,
      ...(result.similarity !== undefined && {
        percentile: percentileOf(scale, result.similarity),
      }),
    }))
    return { ...ranking, results }
  }
}

/** How an answer shows a scale, or says why there is none. */
export function shownScale(scale: SimilarityScale | NotHeld | 'few') {
  if (typeof scale === 'string') return { no_scale: noScaleBecause[scale] }
  const { pairs, nearest, texts, revision, measuredAt } = scale
  return {
    scale: {
      random_pairs: percentilesOf(pairs),
      nearest: percentilesOf(nearest),
      texts,
      revision,
      measured_at: measuredAt.toISOString(),
    },
  }
}

const shares = {
  p1: 0.01,
  p5: 0.05,
  p25: 0.25,
  p50: 0.5,
  p75: 0.75,
  p95: 0.95,
  p99: 0.99,
  p99_9: 0.999,
}

/** Of a sample, so to four digits. */
const percentilesOf = (sample: Float64Array): Record<string, number> =>
  Object.fromEntries(
    Object.entries(shares).map(([name, share]) => {
      const similarity = sample[Math.floor(share * (sample.length - 1))] ?? 0
      return [name, Math.round(similarity * 1e4) / 1e4]
    }),
  )
