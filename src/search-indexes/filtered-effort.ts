import { effortsFor, maxEfSearch, measuredResults, type Stage } from './effort.ts'
import { components, type SearchIndex } from './policy.ts'

/** How many times as many as there shall be results must be kept of what one search of the graph finds. */
const surplus = { expected: 3, found: 1.5 }
/** What was measured is the recall of searches without a filter. */
const widened = 1.25
/**
 * Where the filter keeps less than this part, near the query, of what it keeps elsewhere, what it keeps lies
 * where the search of the graph ends, and some of it would be missed (bench/measured/search-indexes.md).
 */
const minLocalShare = 0.3
/** From this many components on, a search with the most effort is tried before an exact one. */
const deepAbove = 40_000_000

/**
 * Searches of the graph that do not go on where the filter leaves too few: then too many of the nearest are
 * left out to rely on the graph.
 * @param kept the share of the project that the filter keeps
 * @returns none when the filter keeps so little that none would find enough
 */
export function singlePassEfforts(index: SearchIndex, kept: number, minRecall?: number): Stage[] {
  const efforts = effortsFor(index, { minRecall })
  const [first] = efforts
  if (first === undefined) return []
  // The usual page, which a filter that leaves little must not keep from the index.
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
    // Signs rank coarsely: all that are found are compared.
    candidates: index.kind === 'bit' ? efSearch : needed,
    scanTuples: stage.scanTuples,
    results,
    needed,
    isOneBeam: true,
  }
}
