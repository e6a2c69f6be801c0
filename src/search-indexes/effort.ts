import { isMeasurable, type SearchIndex } from './policy.ts'
import {
  type CurvePoint,
  describes,
  lowerBound,
  minEffort,
  usualRecall,
} from './recall/recall-curve.ts'

/** One search of the graph. */
export interface Effort {
  /** hnsw.ef_search: how many of the nearest the search keeps track of. */
  readonly efSearch: number
  /** How many of them are compared by their float32 vectors. */
  readonly candidates: number
  /** hnsw.max_scan_tuples: how many are looked at, at most, for as many that a filter keeps. */
  readonly scanTuples: number
  /** Whether the search ends with the first `efSearch`, however many of them a filter keeps. */
  readonly isOneBeam?: boolean
}

/** One part of a ranking. */
export interface Stage extends Effort {
  /** How many results come from it, at most. */
  readonly results: number
  /** The ef_search that was measured to be enough, without the margin. */
  readonly measured?: number
  /** With a filter: how many must be found for these to be the nearest that it keeps. */
  readonly needed?: number
  /** Whether the next part is for the same results, where this one finds too few. */
  readonly isTriedAgain?: boolean
}

/** What a search asks of its index besides the nearest. */
export interface EffortOptions {
  /** Recall@10 that was asked for; undefined for the usual one. */
  readonly minRecall?: number | undefined
  readonly isFiltered?: boolean
}

/** What every search is promised. */
export const promisedRecall = 0.99
/**
 * Vectors that are not stored are harder to find neighbours of than what lies between stored ones: of 30,902
 * verses × 384, 108 was measured at 0.996 and found 0.986 for 200 vectors that were held out. At most by the
 * formula, which has been enough for each set.
 */
const margin = 2
/** Recall is measured of so many. */
export const measuredResults = 10
export const maxEfSearch = 1_000
/** From this many components on a second, deeper search of the graph costs less than the exact one. */
const deepAbove = 40_000_000
/** pgvector's default for hnsw.max_scan_tuples. */
export const usualScanTuples = 20_000
const minScanTuples = 1_000
const maxScanTuples = 5 * usualScanTuples
/** Looking at one vector in the graph takes as long as comparing 5 to 20 in an exact search. */
const vectorsPerScanTuple = { few: 8, many: 32 }
/**
 * With a filter that leaves out what is nearest, results come from beyond, where a search of the graph is
 * about to end and misses more: it is widened by half, or by this much, and goes on until as many are kept.
 */
const widened = { factor: 1.5, least: 105 }
/** Of what a search keeps track of: with all of it, each that is left out costs a second round. */
export const comparedOfFound = 0.8
/** Far from where a search of the graph begins it misses more: of what it finds there the first tenth are results. */
const surplus = 10
/** A filter that keeps fewer of those looked at is for the exact search. */
const tuplesPerCandidate = 100

/**
 * How hard to search, so that recall@10 stays above 0.99, or above what was asked for: the least effort that
 * was measured to reach it, for the first ten; by a formula before that and further down. The measurements
 * are in bench/measured/search-indexes.md. No effort depends on the page, and in the formula sizes count in powers of two:
 * all pages of a ranking must be found with one effort.
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
  // The usual page, which a filter that leaves little must not keep from the index.
  const results = Math.min(first.results, measuredResults)
  const begin = results < first.results ? [{ ...first, results }] : []
  return [...begin, ...efforts].map(filtered)
}

/**
 * Without going on where rows that were deleted, and not vacuumed, leave too few: what comes from beyond is not
 * what is nearest.
 */
export const inOneBeam = (stage: Stage): Stage => ({ ...stage, isOneBeam: true })

/**
 * Whether a search by the index finds what was asked for. What was not measured is not trusted, but where nothing
 * is: there the formula is. By it halves go on to find what is promised while the project grows; of signs, and of
 * more than is promised, another measurement must tell.
 */
export function reaches(index: SearchIndex, minRecall = promisedRecall): boolean {
  const { recall, vectors, kind } = index
  const isPromised = minRecall <= promisedRecall
  if (recall === undefined) return isPromised && !isMeasurable(index)
  if (!describes(recall, vectors) && (kind === 'bit' || !isPromised)) return false
  return (isPromised ? lowerBound : minEffort)(recall, minRecall) !== undefined
}

/** What was measured at the effort of usual searches; undefined where nothing was. */
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
    // Enough for all that the first search by the formula would give.
    return [{ ...first, efSearch, candidates: Math.max(candidates, first.candidates) }, ...deeper]
  }
  const results = Math.min(candidates, measuredResults)
  return [{ ...first, efSearch, candidates, results, measured }, first, ...deeper]
}

/** Where no point reaches the recall that is wanted. */
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
  // Signs rank coarsely: recall comes from comparing many candidates.
  if (kind === 'bit') {
    return [{ efSearch: maxEfSearch, candidates: 800, results: 800, scanTuples }]
  }
  // Fewer dimensions hold more near ties.
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

/** Where a filter leaves so little that more would be looked at, an exact search takes no longer. */
function scanTuplesFor(size: number): number {
  const { few, many } = vectorsPerScanTuple
  const tuples = Math.max(Math.min(size / few, usualScanTuples), size / many)
  return Math.round(Math.min(Math.max(tuples, minScanTuples), maxScanTuples))
}
