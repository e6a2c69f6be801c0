import type { IndexKind } from '../db/pgvector.ts'

/** What the vectors of a project amount to. */
export interface CollectionSize {
  readonly collectionId: number
  readonly vectors: number
  readonly dimensions: number
}

/** The partial HNSW index of one project's collection. */
export interface SearchIndex extends CollectionSize {
  readonly kind: IndexKind
}

export interface IndexLimits {
  /** Components (vectors × dimensions) up to which a project is always searched exactly. */
  readonly exactBudget: number
  /** Planning any query looks at every index of the table, so that there must not be too many. */
  readonly maxIndexes: number
  /** Over how long a project must hardly have grown before its index is built. */
  readonly settleSeconds: number
}

/** An index is earned above the budget and lost below half of it, so that it does not come and go. */
const keptAbove = 0.5
/** Where there are more than may be, how much larger a project must be to take another's place. */
const replacingFactor = 2
/** Growth over `settleSeconds` up to which a project counts as no longer being filled. */
const settledGrowth = 1.1

export const components = ({ vectors, dimensions }: CollectionSize) => vectors * dimensions

/** Whether a project that has an index is large enough to keep it. */
export const keepsIndex = (size: CollectionSize, { exactBudget }: IndexLimits) =>
  components(size) > exactBudget * keptAbove

/** The collections that should have an index, the largest first. */
export function deserving<Size extends CollectionSize>(
  sizes: Iterable<Size>,
  indexed: { has(collectionId: number): boolean },
  limits: IndexLimits,
): Size[] {
  const isIndexed = ({ collectionId }: Size) => indexed.has(collectionId)
  const weight = (size: Size) => components(size) * (isIndexed(size) ? replacingFactor : 1)
  return [...sizes]
    .filter((size) =>
      isIndexed(size) ? keepsIndex(size, limits) : components(size) > limits.exactBudget,
    )
    .sort((a, b) => weight(b) - weight(a) || a.collectionId - b.collectionId)
    .slice(0, limits.maxIndexes)
}

/** Whether a project has stopped growing fast, so that an index is built but once. */
export const isSettled = (vectors: number, before: number) => vectors <= before * settledGrowth

/** What bounds the locks that a server of PostgreSQL can have. */
export interface LockSpace {
  readonly locksPerTransaction: number
  readonly maxConnections: number
}

/**
 * How many indexes the table can have: a statement on it locks each of them, and PostgreSQL has room for
 * twice `locksPerTransaction` × `maxConnections` locks held by sessions, for all that it serves. Half
 * of that is for the connections of this service, if all are busy at once.
 */
export const roomForIndexes = (
  { locksPerTransaction, maxConnections }: LockSpace,
  connections: number,
) => Math.floor((locksPerTransaction * maxConnections) / connections)

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
