import { effortsFor, maxEfSearch, measuredResults, type Stage } from './effort.ts'
import { components, type SearchIndex } from './policy.ts'

/**
 * A filter must keep this many times the number of results: expected beforehand, and actually
 * found.
 */
const surplus = { expected: 3, found: 1.5 }
/** Recall was measured without a filter, so ef_search is multiplied by this. */
const widened = 1.25
/**
 * If the share that the filter keeps near the query is below this part of its share of the project,
 * what it keeps lies where the search of the graph ends, and some of it would be missed
 * (bench/measured/search-indexes.md).
 */
const minLocalShare = 0.3
/** From this many components on, a search with the greatest effort is tried before an exact one. */
const deepAbove = 40_000_000

/**
 * Searches of the graph that end after one pass. If the filter keeps too few of what is found, too
 * many of the nearest are left out to rely on the graph.
 * @param kept the share of the project that the filter keeps
 * @returns an empty list if the filter keeps so little that no search would find enough
 */
export function singlePassEfforts(index: SearchIndex, kept: number, minRecall?: number): Stage[] {
  const efforts = effortsFor(index, { minRecall })
  const [first] = efforts
  if (first === undefined) return []
  // A filter that keeps little must not prevent the use of the index for the default page.
  const usual = { ...first, results: Math.min(first.results, measuredResults) }
  const begin = usual.results < first.results ? [usual] : []
  const beams = [...begin, ...efforts].flatMap((stage) => singlePass(index, stage, kept) ?? [])
  const [quick] = beams
  if (quick === undefined || components(index) < deepAbove) return beams
  const deep = singlePass(index, { ...usual, efSearch: maxEfSearch }, kept)
  return quick.efSearch >= maxEfSearch || deep === undefined
    ? beams
    : [{ ...quick, isTriedAgain: true }, deep, ...beams.slice(1)]
}

function singlePass(index: SearchIndex, stage: Stage, kept: number): Stage | undefined {
  const wide = Math.ceil((surplus.expected * stage.results) / Math.max(kept, 1e-9))
  const efSearch = Math.min(Math.max(Math.round(stage.efSearch * widened), wide), maxEfSearch)
  const expected = kept * efSearch
  const enough = Math.min(surplus.found * stage.results, 0.6 * expected)
  const needed = Math.ceil(Math.max(minLocalShare * expected, enough))
  const results = Math.min(stage.results, Math.floor(needed / surplus.found))
  if (results < Math.min(stage.results, measuredResults)) return undefined
  return {
    efSearch,
    // Signs rank coarsely, so all that are found are compared.
    candidates: index.kind === 'bit' ? efSearch : needed,
    scanTuples: stage.scanTuples,
    results,
    needed,
    isOneBeam: true,
  }
}
