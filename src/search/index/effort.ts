import { promisedRecall } from '../ranking.ts'
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
  /** How many of the candidates, the nearest ones, may be results. */
  readonly trusted: number
  /**
   * hnsw.max_scan_tuples: how many vectors to look at, at most, until a filter has kept enough
   * candidates. If undefined, a filter leaves out some of the candidates.
   */
  readonly scanTuples?: number
}

/** A search of the graph that finds one part of a ranking. */
export interface Stage extends Effort {
  /** How far down the ranking it provides results. */
  readonly results: number
}

interface Wanted {
  /** Required recall@10; undefined for the default. */
  readonly minRecall?: number | undefined
  readonly isFiltered: boolean
  /** Whether an exact search can find what the graph does not. */
  readonly canScan: boolean
}

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
/** Share of the found vectors that are compared. The last ones found are the least certain. */
export const comparedOfFound = 0.8
/** pgvector's default for hnsw.max_scan_tuples. */
export const usualScanTuples = 20_000
/** With a filter, ef_search is multiplied by this. */
const widened = 1.25
/** What a scan must find for each result, since it misses more far from its start. */
const scannedPerResult = 10
/**
 * Which share of the candidates is trusted if a filter may leave out the nearest: a search misses
 * more far from its start, and signs rank coarsely.
 */
const trustedShare = { halfvec_l2: 0.5, bit: 0.03 }

/**
 * How hard to search so that recall@10 stays above 0.99, or above what was asked for: the stages
 * for the first results and for those further down. The measurements behind it are in
 * bench/measured/search-indexes.md. All pages of a ranking must be found with the same effort, so
 * it does not depend on the page, and sizes count in powers of two.
 */
export function stagesFor(index: SearchIndex, { minRecall, isFiltered, canScan }: Wanted): Stage[] {
  const levels = levelsOf(index, minRecall ?? usualRecall)
  if (!isFiltered) return levels
  if (!canScan) return scanning(index, levels)
  const efforts = new Set([widenedOf(levels[0]), maxEfSearch])
  return [...efforts].map((efSearch) => filtered(index, efSearch))
}

/** Recall is measured without a filter. */
const widenedOf = ({ efSearch }: Effort) => Math.min(Math.round(efSearch * widened), maxEfSearch)

/**
 * Finds what a filter keeps of the nearest, which a filter opposed to the query may leave out: the
 * exact search finds the rest.
 */
function filtered({ kind }: SearchIndex, efSearch: number): Stage {
  const candidates = kind === 'bit' ? efSearch : Math.floor(efSearch * comparedOfFound)
  const trusted = Math.floor(candidates * trustedShare[kind])
  return { efSearch, candidates, trusted, results: trusted }
}

/**
 * In a project too large for an exact search, the search goes on until the filter keeps enough. Far
 * down a ranking nothing else can find more, so there everything counts that the last one finds.
 */
function scanning(index: SearchIndex, levels: readonly Stage[]): Stage[] {
  const scanTuples = scanTuplesFor(index)
  const stages = levels.map((level): Stage => {
    const efSearch = widenedOf(level)
    const candidates = Math.floor(efSearch * comparedOfFound)
    const results = Math.min(level.results, Math.floor(candidates / scannedPerResult))
    return { efSearch, candidates, trusted: candidates, results, scanTuples }
  })
  return [...stages, ...stages.slice(-1).map((last) => ({ ...last, results: last.candidates }))]
}

/**
 * The least effort that was measured to suffice for the first results, then that of the formula:
 * before a measurement, and further down the ranking, the formula alone.
 */
function levelsOf(index: SearchIndex, recall: number): [Stage, ...Stage[]] {
  const [formula, ...deeper] = formulaFor(index)
  const { recall: curve, vectors } = index
  if (curve === undefined || !describes(curve, vectors)) return [formula, ...deeper]
  const { efSearch: measured, candidates } =
    lowerBound(curve, recall) ?? hardest(curve.points, formula)
  const efSearch = Math.max(measured, Math.min(Math.round(measured * margin), formula.efSearch))
  if (efSearch >= formula.efSearch) {
    // This suffices for everything that the first search by the formula would give.
    const most = Math.max(candidates, formula.candidates)
    return [{ ...formula, efSearch, candidates: most, trusted: most }, ...deeper]
  }
  const results = Math.min(candidates, measuredResults)
  return [{ efSearch, candidates, trusted: candidates, results }, formula, ...deeper]
}

/** The greatest effort, used if no point reaches the wanted recall. */
function hardest(points: readonly CurvePoint[], formula: Stage) {
  const last = points.at(-1)
  return last !== undefined && last.efSearch > formula.efSearch ? last : formula
}

function formulaFor({ vectors, dimensions, kind }: SearchIndex): [Stage, ...Stage[]] {
  // Signs rank coarsely, so recall depends on comparing many candidates.
  if (kind === 'bit') return [{ efSearch: maxEfSearch, ...first(800) }]
  const size = powerOfTwo(vectors)
  // With fewer dimensions, more neighbours are nearly tied.
  const crowding = dimensions <= 512 ? 1.5 : 1
  const wanted = Math.round(100 * crowding * (size / 8_192) ** 0.4)
  const efSearch = Math.min(Math.max(wanted, 100), maxEfSearch)
  return [
    { efSearch, ...first(50) },
    { efSearch: maxEfSearch, ...first(500) },
  ]
}

const first = (results: number) => ({ candidates: results, trusted: results, results })

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
