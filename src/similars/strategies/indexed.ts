import { measuredPoint, reaches, type Stage } from '../../search-indexes/effort.ts'
import type { SearchIndex } from '../../search-indexes/policy.ts'
import { maxDistance } from '../../vectors/distance.ts'
import { type Candidate, isFiltered, type Search } from '../statements/query.ts'
import type { Statements } from '../statements/statements.ts'
import { continueExactly, type Ranking, rankingOf } from './ranking.ts'

/**
 * One ranking, whatever page of it is asked for: first what the index finds, then, where it finds too
 * little for the page, what a deeper search of the index finds besides, at last all the rest by an
 * exact search, where the project may be scanned. Each part leaves out the ones before, so that pages have no
 * gaps and no repeats.
 */
export async function rankWithIndex(
  statements: Statements,
  search: Search,
  index: SearchIndex,
  stages: readonly Stage[],
): Promise<Ranking> {
  const { query, page, minRecall, canScan } = search
  const lowRecall = reaches(index, minRecall) ? undefined : measuredPoint(index)?.recall
  const { head, below, isEnough } = await findHead(statements, search, index, stages)
  if (isEnough || !canScan) {
    const found = [...head, ...below].slice(page.offset, page.offset + page.limit)
    const isAll = found.length === page.limit
    return { ...rankingOf(query, found, 'approximate', isAll), lowRecall }
  }
  const compareRest = async (rest: Search['page'], excludedIds: readonly string[]) => ({
    candidates: await statements.exactly(query, rest, excludedIds),
    isAll: true,
  })
  const ranking = await continueExactly(compareRest, search, head)
  return ranking.mode === 'exact' ? ranking : { ...ranking, lowRecall }
}

/** The head of a ranking, what came with it from below the threshold, and whether the page needs no more. */
async function findHead(
  statements: Statements,
  { query, page, canScan }: Search,
  index: SearchIndex,
  stages: readonly Stage[],
) {
  const end = page.offset + page.limit
  const isPartial = isFiltered(query)
  const head: Candidate[] = []
  for (const stage of stages) {
    // The same for every page, where it decides which part of the ranking comes from the index.
    const wanted = stage.needed ?? Math.min(stage.results, end - head.length)
    const found = await statements.byIndex(query, index, stage, wanted, idsOf(head))
    const similar = found.filter(({ distance }) => distance <= maxDistance(query))
    const isGivenUp = found.length < wanted
    // The filter has left so few that the search of the graph was given up: nearer ones may be missing.
    if (isGivenUp && stage.isTriedAgain) continue
    if (isGivenUp && isPartial && canScan) break
    // The candidates come nearest first: after one below the threshold none is above it, unless the graph has
    // given out so few that nearer ones may be missing.
    const isEnd = similar.length < found.length && !isGivenUp
    head.push(...similar.slice(0, stage.results))
    if ((isEnd && similar.length <= stage.results) || head.length >= end) {
      return { head, below: found.slice(similar.length), isEnough: true }
    }
  }
  return { head, below: [], isEnough: false }
}

const idsOf = (candidates: readonly Candidate[]) => candidates.map(({ id }) => id)
