import { isMeasurable, type SearchIndex } from './policy.ts'
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
  /** hnsw.max_scan_tuples: how many vectors to look at, at most, until a filter has kept enough. */
  readonly scanTuples: number
  /** Whether the search ends with the first `efSearch`, even if a filter keeps few of them. */
  readonly isOneBeam?: boolean
}

/** A search of the graph that finds one part of a ranking. */
export interface Stage extends Effort {
  /** How many results it provides, at most. */
  readonly results: number
  /** The ef_search that was measured to suffice, without the margin. */
  readonly measured?: number
  /** With a filter: how many must be found for these to be the nearest that the filter keeps. */
  readonly needed?: number
  /** Whether the next stage looks for the same results if this one finds too few. */
  readonly isTriedAgain?: boolean
}

export interface EffortOptions {
  /** Required recall@10; undefined for the default. */
  readonly minRecall?: number | undefined
  readonly isFiltered?: boolean
}

/** The recall@10 that every search is promised. */
export const promisedRecall = 0.99
/**
 * The measured ef_search is multiplied by this, up to that of the formula, which has sufficed for
 * every data set. Neighbours of new vectors are harder to find than those of probes between stored
 * vectors: for 30,902 verses × 384, ef_search 108 had a measured recall of 0.996, and found 0.986
 * for 200 held-out vectors.
 */
const margin = 2
/** Recall is measured for this many neighbours: recall@10. */
export const measuredResults = 10
export const maxEfSearch = 1_000
/**
 * From this many components on, a second, deeper search of the graph costs less than an exact one.
 */
const deepAbove = 40_000_000
/** pgvector's default for hnsw.max_scan_tuples. */
export const usualScanTuples = 20_000
const minScanTuples = 1_000
const maxScanTuples = 5 * usualScanTuples
/** Looking at one vector in the graph takes as long as comparing 5 to 20 in an exact search. */
const vectorsPerScanTuple = { few: 8, many: 32 }
/**
 * A filter that leaves out the nearest gets results from further away, where a search of the graph
 * is about to end and misses more. So ef_search grows by half, or at least by this much, and the
 * search goes on until the filter has kept enough.
 */
const widened = { factor: 1.5, least: 105 }
/**
 * Share of the found vectors that are compared. With all of them, each one left out costs a second
 * round.
 */
export const comparedOfFound = 0.8
/**
 * A search of the graph misses more far from its start: only the first tenth of what it finds are
 * results.
 */
const surplus = 10
/** If a filter keeps fewer than one in this many, the exact search takes over. */
const tuplesPerCandidate = 100

/**
 * How hard to search so that recall@10 stays above 0.99, or above what was asked for. For the first
 * ten results this is the least effort that was measured to suffice; before a measurement and
 * further down the ranking, a formula says it. The measurements are in
 * bench/measured/search-indexes.md. All pages of a ranking must be found with the same effort, so
 * it does not depend on the page, and the formula counts sizes in powers of two.
 * @returns the efforts for the first results and for those further down
 */
export function effortsFor(
  index: SearchIndex,
  { minRecall, isFiltered }: EffortOptions = {},
): Stage[] {
  const usual = formula(index)
  const efforts = withMeasured(index, usual, minRecall ?? usualRecall)
  if (!isFiltered) return efforts
  const [first] = efforts
  // A filter that keeps little must not prevent the use of the index for the default page.
  const results = Math.min(first.results, measuredResults)
  const begin = results < first.results ? [{ ...first, results }] : []
  return [...begin, ...efforts].map(filtered)
}

/**
 * Ends a search after its first pass. If deleted rows that are not yet vacuumed leave too few,
 * going on would find vectors that are not the nearest.
 */
export const inOneBeam = (stage: Stage): Stage => ({ ...stage, isOneBeam: true })

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

function withMeasured(
  index: SearchIndex,
  usual: [Stage, ...Stage[]],
  recall: number,
): [Stage, ...Stage[]] {
  const [first, ...deeper] = usual
  const { recall: curve, vectors } = index
  if (curve === undefined || !describes(curve, vectors)) return usual
  const point = lowerBound(curve, recall)
  const { efSearch: measured, candidates } = point ?? hardest(curve.points, first)
  const efSearch = Math.max(measured, Math.min(Math.round(measured * margin), first.efSearch))
  if (efSearch >= first.efSearch) {
    // This suffices for everything that the first search by the formula would give.
    return [{ ...first, efSearch, candidates: Math.max(candidates, first.candidates) }, ...deeper]
  }
  const results = Math.min(candidates, measuredResults)
  return [{ ...first, efSearch, candidates, results, measured }, first, ...deeper]
}

/** The greatest effort, used if no point reaches the wanted recall. */
function hardest(points: readonly CurvePoint[], first: Effort) {
  const last = points.at(-1)
  return last !== undefined && last.efSearch > first.efSearch ? last : first
}

function filtered(stage: Stage): Stage {
  const { factor, least } = widened
  const { measured = stage.efSearch } = stage
  const wide = Math.round(Math.max(stage.efSearch, measured * factor, measured + least))
  const efSearch = Math.min(wide, maxEfSearch)
  const candidates = Math.max(stage.candidates, Math.floor(efSearch * comparedOfFound))
  const scanTuples = Math.max(candidates * tuplesPerCandidate, minScanTuples)
  return {
    efSearch,
    candidates,
    scanTuples: Math.min(scanTuples, stage.scanTuples),
    results: stage.results,
    needed: Math.min(stage.results * surplus, candidates),
  }
}

function formula({ vectors, dimensions, kind }: SearchIndex): [Stage, ...Stage[]] {
  const size = 2 ** Math.ceil(Math.log2(Math.max(vectors, 1)))
  const scanTuples = scanTuplesFor(size)
  // Signs rank coarsely, so recall depends on comparing many candidates.
  if (kind === 'bit') {
    return [{ efSearch: maxEfSearch, candidates: 800, results: 800, scanTuples }]
  }
  // With fewer dimensions, more neighbours are nearly tied.
  const crowding = dimensions <= 512 ? 1.5 : 1
  const efSearch = Math.round(100 * crowding * (size / 8_192) ** 0.4)
  const first = {
    efSearch: Math.min(Math.max(efSearch, 100), maxEfSearch),
    candidates: 50,
    results: 50,
    scanTuples,
  }
  if (size * dimensions < deepAbove) return [first]
  return [first, { efSearch: maxEfSearch, candidates: 500, results: 500, scanTuples }]
}

/** If a filter keeps so little that more would be looked at, an exact search takes no longer. */
function scanTuplesFor(size: number): number {
  const { few, many } = vectorsPerScanTuple
  const tuples = Math.max(Math.min(size / few, usualScanTuples), size / many)
  return Math.round(Math.min(Math.max(tuples, minScanTuples), maxScanTuples))
}
