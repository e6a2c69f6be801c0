import { maxDistance } from '../distance.ts'
import { measuredPoint, reaches, type Stage } from '../index/effort.ts'
import type { SearchIndex } from '../index/policy.ts'
import { type Candidate, isFiltered, type Search } from '../statements/query.ts'
import type { Statements } from '../statements/statements.ts'
import { continueExactly, type Ranking, rankingOf } from './ranking.ts'

/**
 * Builds one ranking, whichever page is asked for: first what the index finds; if that is too
 * little for the page, what a deeper search of the index adds; finally, if the project may be
 * scanned, the rest by an exact search. Each part leaves out the previous ones, so that pages have
 * no gaps and no repeats.
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

/**
 * Finds the head of a ranking, what is below the threshold, and whether the page needs no more.
 */
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
    // `needed` is the same for every page: it decides which part of the ranking the index provides.
    const wanted = stage.needed ?? Math.min(stage.results, end - head.length)
    const found = await statements.byIndex(query, index, stage, wanted, idsOf(head))
    const similar = found.filter(({ distance }) => distance <= maxDistance(query))
    const isGivenUp = found.length < wanted
    // The filter kept so few that the search of the graph gave up: nearer ones may be missing.
    if (isGivenUp && stage.isTriedAgain) continue
    if (isGivenUp && isPartial && canScan) break
    // Candidates come nearest first: after one below the threshold none is above it, unless the
    // graph gave up early and nearer ones may be missing.
    const isEnd = similar.length < found.length && !isGivenUp
    head.push(...similar.slice(0, stage.results))
    if ((isEnd && similar.length <= stage.results) || head.length >= end) {
      return { head, below: found.slice(similar.length), isEnough: true }
    }
  }
  return { head, below: [], isEnough: false }
}

const idsOf = (candidates: readonly Candidate[]) => candidates.map(({ id }) => id)
