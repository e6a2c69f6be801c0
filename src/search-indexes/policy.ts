/** What the vectors of a project amount to. */
export interface CollectionSize {
  readonly collectionId: number
  readonly vectors: number
  readonly dimensions: number
}

/** The partial HNSW index of one project. */
export interface SearchIndex extends CollectionSize {
  /** What it holds: the vectors in half precision, or their signs. */
  readonly kind: 'halfvec' | 'bit'
}

export interface IndexLimits {
  /** Components (vectors × dimensions) up to which a project is always searched exactly. */
  readonly exactBudget: number
  /** Planning any query looks at every index of the table, so that there must not be too many. */
  readonly maxIndexes: number
}

/** An index is earned above the budget and lost below half of it, so that it does not come and go. */
const keptAbove = 0.5
/** Growth from one look to the next up to which a project counts as no longer being filled. */
const settledGrowth = 1.1
/** Growth from which building an index anew costs less than inserting the rest: see bench/README.md. */
const rebuildGrowth = 1.1

const components = ({ vectors, dimensions }: CollectionSize) => vectors * dimensions

/** The projects that should have an index, the largest first. */
export function deserving(
  sizes: Iterable<CollectionSize>,
  indexed: { has(collectionId: number): boolean },
  { exactBudget, maxIndexes }: IndexLimits,
): CollectionSize[] {
  const enough = (size: CollectionSize) =>
    components(size) > exactBudget * (indexed.has(size.collectionId) ? keptAbove : 1)
  return [...sizes]
    .filter(enough)
    .sort((a, b) => components(b) - components(a))
    .slice(0, maxIndexes)
}

/** Whether a project has stopped growing fast since the look before, so that an index will last. */
export const isSettled = (now: CollectionSize, before: CollectionSize | undefined) =>
  before !== undefined && now.vectors <= before.vectors * settledGrowth

/** Whether an upload adds so much that the index had better be dropped and built again afterwards. */
export const outgrows = (now: CollectionSize, whenQuiet: CollectionSize) =>
  now.vectors > whenQuiet.vectors * rebuildGrowth

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
