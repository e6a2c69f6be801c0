import type { SearchIndex } from './policy.ts'

/** One search of the graph. */
export interface Effort {
  /** hnsw.ef_search: how many of the nearest the search keeps track of. */
  readonly efSearch: number
  /** How many of them are compared by their float32 vectors. */
  readonly candidates: number
  /** hnsw.max_scan_tuples: how many are looked at, at most, for as many that a filter keeps. */
  readonly scanTuples: number
}

const largestEfSearch = 1_000
/** From this many components on a second, deeper search of the graph costs less than the exact one. */
const deepAbove = 40_000_000
/** pgvector's default for hnsw.max_scan_tuples. */
export const usualScanTuples = 20_000
const mostScanTuples = 5 * usualScanTuples
/** Looking at one vector in the graph takes as long as comparing 5 to 20 in an exact search. */
const vectorsPerScanTuple = 32

/**
 * How hard to search, so that recall@10 stays above 0.99: the measurements are in bench/README.md.
 * Sizes count in powers of two, because all pages of a ranking must be found with one effort.
 * @returns the efforts for the first results and, where it pays, for those further down
 */
export function effortsFor({ vectors, dimensions, kind }: SearchIndex): Effort[] {
  const size = 2 ** Math.ceil(Math.log2(Math.max(vectors, 1)))
  const scanTuples = Math.round(
    Math.min(Math.max(size / vectorsPerScanTuple, usualScanTuples), mostScanTuples),
  )
  // Signs rank coarsely: recall comes from comparing many candidates.
  if (kind === 'bit') return [{ efSearch: largestEfSearch, candidates: 800, scanTuples }]
  // Fewer dimensions hold more near ties.
  const crowding = dimensions <= 512 ? 1.5 : 1
  const efSearch = Math.round(100 * crowding * (size / 8_192) ** 0.4)
  const first = {
    efSearch: Math.min(Math.max(efSearch, 100), largestEfSearch),
    candidates: 50,
    scanTuples,
  }
  if (size * dimensions < deepAbove) return [first]
  return [first, { efSearch: largestEfSearch, candidates: 500, scanTuples }]
}
