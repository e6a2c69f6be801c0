import { components, isMeasurable, type SearchIndex } from './policy.ts'
import {
  type CurvePoint,
  describes,
  lowerBound,
  minEffort,
  usualRecall,
} from './recall/recall-curve.ts'

/** How hard one search of the graph works. */
export interface Effort {
  /** hnsw.ef_search: how many of the nearest the search keeps track of. */
  readonly efSearch: number
  /** How many of them are compared by their float32 vectors. */
  readonly candidates: number
  /**
   * hnsw.max_scan_tuples: how many vectors to look at, at most, until a filter has kept enough. If
   * undefined, the search ends with the first `efSearch`, even if a filter keeps few of them.
   */
  readonly scanTuples?: number | undefined
}

/** A search of the graph that finds one part of a ranking. */
export interface Stage extends Effort {
  /** How many results it provides, at most. */
  readonly results: number
  /** With a filter: how many must be found for these to be the nearest that the filter keeps. */
  readonly needed?: number
  /** Whether the next stage looks for the same results if this one finds too few. */
  readonly isTriedAgain?: boolean
}

interface Wanted {
  /** Required recall@10; undefined for the default. */
  readonly minRecall?: number | undefined
  /** The share of the project that the filter is expected to keep; undefined without a filter. */
  readonly kept?: number | undefined
  /** Whether an exact search can find what the graph does not. */
  readonly canScan: boolean
}

/** The recall@10 that every search is promised. */
const promisedRecall = 0.99
/** Recall is measured for this many results, and pages of this many are common. */
const measuredResults = 10
const maxEfSearch = 1_000
/**
 * The measured ef_search is multiplied by this, up to that of the formula, which has sufficed for
 * every data set. Neighbours of new vectors are harder to find than those of probes between stored
 * vectors: for 30,902 verses × 384, ef_search 108 had a measured recall of 0.996, and found 0.986
 * for 200 held-out vectors.
 */
const margin = 2
/**
 * From this many components on, a second, deeper search of the graph costs less than an exact one.
 */
const deepAbove = 40_000_000
/**
 * Share of the found vectors that are compared. With all of them, each one left out costs a second
 * round.
 */
export const comparedOfFound = 0.8
/** pgvector's default for hnsw.max_scan_tuples. */
export const usualScanTuples = 20_000
/** Recall is measured without a filter, so ef_search is multiplied by this with one. */
const widened = 1.25
/**
 * What a filter has to keep for each result: as expected beforehand, as found in one pass, and as
 * found by a scan that goes on until there are enough. A search of the graph misses more far from
 * its start.
 */
const perResult = { expected: 3, found: 1.5, scanned: 10 }
/**
 * If the share that the filter keeps near the query is below this part of its share of the project,
 * what it keeps lies where the search of the graph ends, and some of it would be missed.
 */
const minLocalShare = 0.3

/**
 * How hard to search so that recall@10 stays above 0.99, or above what was asked for: the stages
 * for the first results and for those further down. The measurements behind it are in
 * bench/measured/search-indexes.md. All pages of a ranking must be found with the same effort, so
 * it does not depend on the page, and sizes count in powers of two.
 * @returns an empty list if the filter keeps so little that no search of the graph finds enough
 */
export function stagesFor(index: SearchIndex, { minRecall, kept, canScan }: Wanted): Stage[] {
  const scanTuples = canScan ? undefined : scanTuplesFor(index)
  const levels = levelsOf(index, minRecall ?? usualRecall).map((level) => ({
    ...level,
    scanTuples,
  }))
  const [first] = levels
  if (kept === undefined || first === undefined) return levels
  // A filter that keeps little must not prevent the use of the index for the default page.
  const page = { ...first, results: Math.min(first.results, measuredResults) }
  const begin = page.results < first.results ? [page] : []
  const stages = [...begin, ...levels].flatMap((level) => filtered(index, level, kept) ?? [])
  const [quick, ...rest] = stages
  if (quick === undefined || !canScan || components(index) < deepAbove) return stages
  const deep = filtered(index, { ...page, efSearch: maxEfSearch }, kept)
  if (deep === undefined || quick.efSearch >= maxEfSearch) return stages
  return [{ ...quick, isTriedAgain: true }, deep, ...rest]
}

/**
 * A search with a filter. In one pass it must find what the filter may be expected to keep: if it
 * finds less, too many of the nearest are left out to rely on the graph.
 */
function filtered({ kind }: SearchIndex, level: Stage, kept: number): Stage | undefined {
  const isScan = level.scanTuples !== undefined
  const wide = isScan ? 0 : Math.ceil((perResult.expected * level.results) / Math.max(kept, 1e-9))
  const efSearch = Math.min(Math.max(Math.round(level.efSearch * widened), wide), maxEfSearch)
  if (isScan) {
    const candidates = Math.floor(efSearch * comparedOfFound)
    const needed = Math.min(level.results * perResult.scanned, candidates)
    return { ...level, efSearch, candidates, needed }
  }
  const expected = kept * efSearch
  const results = Math.min(level.results, Math.floor(0.4 * expected))
  if (results < Math.min(level.results, measuredResults)) return undefined
  const needed = Math.ceil(Math.max(minLocalShare * expected, perResult.found * results))
  // Signs rank coarsely, so all that are found are compared.
  return { ...level, efSearch, candidates: kind === 'bit' ? efSearch : needed, results, needed }
}

/**
 * The least effort that was measured to suffice for the first results, then that of the formula:
 * before a measurement, and further down the ranking, the formula alone.
 */
function levelsOf(index: SearchIndex, recall: number): Stage[] {
  const [formula, ...deeper] = formulaFor(index)
  const { recall: curve, vectors } = index
  if (curve === undefined || !describes(curve, vectors)) return [formula, ...deeper]
  const { efSearch: measured, candidates } =
    lowerBound(curve, recall) ?? hardest(curve.points, formula)
  const efSearch = Math.max(measured, Math.min(Math.round(measured * margin), formula.efSearch))
  if (efSearch >= formula.efSearch) {
    // This suffices for everything that the first search by the formula would give.
    const most = Math.max(candidates, formula.candidates)
    return [{ ...formula, efSearch, candidates: most }, ...deeper]
  }
  const results = Math.min(candidates, measuredResults)
  return [{ efSearch, candidates, results }, formula, ...deeper]
}

/** The greatest effort, used if no point reaches the wanted recall. */
function hardest(points: readonly CurvePoint[], formula: Effort) {
  const last = points.at(-1)
  return last !== undefined && last.efSearch > formula.efSearch ? last : formula
}

function formulaFor({ vectors, dimensions, kind }: SearchIndex): [Stage, ...Stage[]] {
  // Signs rank coarsely, so recall depends on comparing many candidates.
  if (kind === 'bit') return [{ efSearch: maxEfSearch, candidates: 800, results: 800 }]
  const size = powerOfTwo(vectors)
  // With fewer dimensions, more neighbours are nearly tied.
  const crowding = dimensions <= 512 ? 1.5 : 1
  const wanted = Math.round(100 * crowding * (size / 8_192) ** 0.4)
  const efSearch = Math.min(Math.max(wanted, 100), maxEfSearch)
  const first = { efSearch, candidates: 50, results: 50 }
  if (size * dimensions < deepAbove) return [first]
  return [first, { efSearch: maxEfSearch, candidates: 500, results: 500 }]
}

/** Looking at one vector in the graph takes as long as comparing 5 to 20 in an exact search. */
const scanTuplesFor = ({ vectors }: SearchIndex) =>
  Math.min(Math.max(powerOfTwo(vectors) / 32, usualScanTuples), 5 * usualScanTuples)

/** Pages of a ranking are found with the same effort also while the project grows a little. */
const powerOfTwo = (vectors: number) => 2 ** Math.ceil(Math.log2(Math.max(vectors, 1)))

/**
 * Whether a search by the index finds what was asked for. Without a measurement, the formula is
 * trusted for the promised recall if the project is too large to be measured. When a project has
 * outgrown its measurement, the formula keeps the promise for a halfvec index; a bit index, and a
 * higher recall, need another measurement.
 */
export function reaches(index: SearchIndex, minRecall = promisedRecall): boolean {
  const { recall, vectors, kind } = index
  const isPromised = minRecall <= promisedRecall
  if (recall === undefined) return isPromised && !isMeasurable(index)
  if (!describes(recall, vectors) && (kind === 'bit' || !isPromised)) return false
  return (isPromised ? lowerBound : minEffort)(recall, minRecall) !== undefined
}

/** The measured point at the default effort; undefined if nothing was measured. */
export const measuredPoint = ({ recall, vectors }: Pick<SearchIndex, 'recall' | 'vectors'>) =>
  recall !== undefined && describes(recall, vectors)
    ? (lowerBound(recall, usualRecall) ?? recall.points.at(-1))
    : undefined
