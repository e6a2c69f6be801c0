import type { Page } from '../db/page.ts'
import { type Demand, effortsFor, type Stage } from '../search-indexes/effort.ts'
import type { CollectionSize, SearchIndex } from '../search-indexes/policy.ts'
import { type Candidate, isFiltered, maxDistance, type Query } from './query.ts'
import type { Statements } from './statements.ts'

export interface Result {
  readonly id: string
  /** Cosine similarity, 0 to 1. */
  readonly similarity: number
  /** The value that it is grouped by, as JSON text. */
  readonly group?: string
}

/** A page of results, most similar first, and how it was found. */
export interface Ranking {
  readonly results: Result[]
  readonly mode: 'exact' | 'approximate'
  /** How many places of the page the threshold left empty; undefined where that was not found out. */
  readonly hidden: number | undefined
  /** Recall@10 that was measured of the index, where it is less than was asked for and it was used all the same. */
  readonly lowRecall?: number | undefined
}

/** What an exact search has found for the rest of a page. */
interface Rest {
  /** Also those below the threshold. `nearest` is the distance of the nearest that is left. */
  readonly candidates: readonly (Candidate & { readonly nearest: number })[]
  /** Whether these are all that belong on the page, also below the threshold. */
  readonly isAll: boolean
}

export async function rankExactly(
  statements: Statements,
  query: Query,
  page: Page,
): Promise<Ranking> {
  return rankingOf(query, await statements.exactly(query, page), 'exact', true)
}

/**
 * Leaves out what is below the threshold.
 * @param page what would be on it without a threshold, nearest first
 * @param isAll whether that is all
 */
export function rankingOf(
  query: Query,
  page: readonly Candidate[],
  mode: Ranking['mode'],
  isAll: boolean,
): Ranking {
  const similar = page.filter(({ distance }) => distance <= maxDistance(query))
  const hidden = isAll ? page.length - similar.length : undefined
  return { results: inOrder(similar), mode, hidden }
}

/** What a ranking is made of: searches of an index, and an exact one for the rest. */
interface Parts {
  readonly stages: readonly Stage[]
  readonly exactly: (rest: Page, excludedIds: readonly string[]) => Promise<Rest['candidates']>
}

/**
 * One ranking, whatever page of it is asked for: first what the index finds, then, where it finds too
 * little for the page, what a deeper search of the index finds besides, at last all the rest by an
 * exact search. Each part leaves out the ones before, so that pages have no gaps and no repeats.
 * @param maxScan components (vectors × dimensions) above which there is no exact search for the rest
 * @param by what the parts are, where a filter decides it
 */
export async function rankWithIndex(
  statements: Statements,
  query: Query,
  page: Page,
  index: SearchIndex,
  maxScan: number,
  minRecall?: Demand['minRecall'],
  by?: Parts,
): Promise<Ranking> {
  const end = page.offset + page.limit
  const head: Candidate[] = []
  const approximate = (below: readonly Candidate[] = []): Ranking => {
    const found = [...head, ...below].slice(page.offset, end)
    return rankingOf(query, found, 'approximate', found.length === page.limit)
  }
  const isScannable = canScan(index, maxScan)
  const isPartial = isFiltered(query)
  const stages = by?.stages ?? effortsFor(index, { minRecall, isFiltered: isPartial })
  for (const stage of stages) {
    // The same for every page, where it decides which part of the ranking comes from the index.
    const wanted = stage.needed ?? Math.min(stage.results, end - head.length)
    const found = await statements.byIndex(query, index, stage, wanted, idsOf(head))
    const similar = found.filter(({ distance }) => distance <= maxDistance(query))
    const isGivenUp = found.length < wanted
    // The filter has left so few that the search of the graph was given up: nearer ones may be missing.
    if (isGivenUp && stage.isTriedAgain) continue
    if (isGivenUp && isPartial && isScannable) break
    // The candidates come nearest first: after one below the threshold none is above it.
    const isEnd = similar.length < found.length
    head.push(...similar.slice(0, stage.results))
    if ((isEnd && similar.length <= stage.results) || head.length >= end) {
      return approximate(found.slice(similar.length))
    }
    if (isGivenUp) break
  }
  if (!isScannable) return approximate()
  const all = async (rest: Page, excludedIds: readonly string[]) => ({
    candidates: await (by?.exactly(rest, excludedIds) ??
      statements.exactly(query, rest, excludedIds)),
    isAll: true,
  })
  return continueExactly(all, query, page, head)
}

/** Whether an exact search of a project may take as long as it takes. */
export const canScan = (
  { vectors, dimensions }: Omit<CollectionSize, 'collectionId'>,
  maxScan: number,
) => vectors * dimensions <= maxScan

export async function continueExactly(
  restOf: (rest: Page, excludedIds: readonly string[]) => Promise<Rest>,
  query: Query,
  { offset, limit }: Page,
  head: readonly Candidate[],
): Promise<Ranking> {
  const begun = head.slice(offset)
  const { candidates, isAll } = await restOf(
    { offset: Math.max(0, offset - head.length), limit: limit - begun.length },
    idsOf(head),
  )
  // When the rest holds nothing nearer than the head, the head is what an exact search begins with.
  const [{ nearest } = { nearest: Number.POSITIVE_INFINITY }] = candidates
  const missed = head.some(({ distance }) => distance >= nearest)
  return rankingOf(query, [...begun, ...candidates], missed ? 'approximate' : 'exact', isAll)
}

const idsOf = (candidates: readonly Candidate[]) => candidates.map(({ id }) => id)

/** Most similar first, equal ones by text_id, whichever statements have found them. */
export const inOrder = (page: readonly Candidate[]): Result[] =>
  page
    .map(({ id, distance }) => ({ id, similarity: similarityAt(distance) }))
    .sort(
      (a, b) => b.similarity - a.similarity || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
    )

/** Only rounding noise is beyond 0 to 1: vectors in opposite directions are no results. */
const similarityAt = (distance: number) => Math.min(1, Math.max(0, 1 - distance))
