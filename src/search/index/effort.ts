import type { IndexKind } from '../../db/pgvector.ts'
import { promisedRecall } from '../ranking.ts'

/** How hard a search of the graph works. The measurements are in bench/measured/search-indexes.md. */
export interface Effort {
  /** hnsw.ef_search: how many of the nearest the search keeps track of. */
  readonly efSearch: number
  /** So many are compared by their float32 vectors for the first pages, and `most` for others. */
  readonly first: number
  readonly most: number
  /** Results must be among so many that the graph has found first. */
  readonly trusted: number
  /**
   * hnsw.max_scan_tuples: how many vectors to look at, at most, until a filter has kept enough. If
   * undefined, the graph is searched once, and a filter leaves out some of what it finds.
   */
  readonly scanTuples?: number
}

interface Searched {
  readonly kind: IndexKind
  readonly vectors: number
  readonly dimensions: number
}

interface Wanted {
  readonly isFiltered: boolean
  /** Whether an exact search can find what the graph does not. */
  readonly canScan: boolean
}

const maxEfSearch = 1_000
const mostCompared = 800
/** pgvector's default for hnsw.max_scan_tuples. */
export const usualScanTuples = 20_000

/**
 * How hard to search so that recall@10 is above 0.99. A search misses more far from its start, so
 * only the nearer half of what it keeps track of is taken. In a project too large for an exact
 * search nothing else can find the rest, so everything is taken, and the search goes on until it has
 * enough. All pages of a ranking must be found with the same effort, so it does not depend on the
 * page, and sizes count in powers of two.
 */
export function effortFor(searched: Searched, { isFiltered, canScan }: Wanted): Effort {
  // What a filter leaves out may be the nearest.
  const efSearch = Math.min(efSearchFor(searched) * (isFiltered ? 2 : 1), maxEfSearch)
  const isCoarse = searched.kind === 'bit'
  const most = canScan && !isCoarse ? efSearch / 2 : mostCompared
  return {
    efSearch,
    // Signs rank coarsely.
    first: isCoarse || isFiltered ? most : 50,
    most,
    trusted: canScan ? efSearch / 2 : most,
    ...(!canScan && { scanTuples: scanTuplesFor(searched) }),
  }
}

function efSearchFor({ kind, vectors, dimensions }: Searched): number {
  if (kind === 'bit') return maxEfSearch
  // With fewer dimensions, more neighbours are nearly tied.
  const crowding = dimensions <= 512 ? 1.5 : 1
  const wanted = 2 * Math.round(50 * crowding * (powerOfTwo(vectors) / 8_192) ** 0.4)
  return Math.min(Math.max(wanted, 100), maxEfSearch)
}

/** Looking at one vector in the graph takes as long as comparing 5 to 20 in an exact search. */
const scanTuplesFor = ({ vectors }: Searched) =>
  Math.min(Math.max(powerOfTwo(vectors) / 32, usualScanTuples), 5 * usualScanTuples)

/** Pages of a ranking are found with the same effort also while the project grows a little. */
const powerOfTwo = (vectors: number) => 2 ** Math.ceil(Math.log2(Math.max(vectors, 1)))

/** Whether a search by an index finds what was asked for. */
export const reaches = (minRecall = promisedRecall) => minRecall <= promisedRecall
