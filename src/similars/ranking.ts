import type { Page } from '../db/page.ts'
import { type Demand, effortsFor } from '../search-indexes/effort.ts'
import type { CollectionSize, SearchIndex } from '../search-indexes/policy.ts'
import { type Candidate, maxDistance, type Query } from './query.ts'
import type { Statements } from './statements.ts'

export interface Result {
  readonly id: string
  /** Cosine similarity, 0 to 1. */
  readonly similarity: number
}

/** A page of results, most similar first, and how it was found. */
export interface Ranking {
  readonly results: Result[]
  readonly mode: 'exact' | 'approximate'
}

export async function rankExactly(
  statements: Statements,
  query: Query,
  page: Page,
): Promise<Ranking> {
  return { results: inOrder(await statements.exactly(query, page)), mode: 'exact' }
}

/**
 * One ranking, whatever page of it is asked for: first what the index finds, then, where it finds too
 * little for the page, what a deeper search of the index finds besides, at last all the rest by an
 * exact search. Each part leaves out the ones before, so that pages have no gaps and no repeats.
 * @param maxScan components (vectors × dimensions) above which there is no exact search for the rest
 */
export async function rankWithIndex(
  statements: Statements,
  query: Query,
  page: Page,
  index: SearchIndex,
  maxScan: number,
  minRecall?: Demand['minRecall'],
): Promise<Ranking> {
  const end = page.offset + page.limit
  const head: Candidate[] = []
  const approximate = (): Ranking => ({
    results: inOrder(head.slice(page.offset, end)),
    mode: 'approximate',
  })
  const isScannable = canScan(index, maxScan)
  const isFiltered = query.exclude !== undefined
  for (const stage of effortsFor(index, { minRecall, isFiltered })) {
    // The same for every page, where it decides which part of the ranking comes from the index.
    const wanted = stage.needed ?? Math.min(stage.results, end - head.length)
    const found = await statements.byIndex(query, index, stage, wanted, idsOf(head))
    const similar = found.filter(({ distance }) => distance <= maxDistance(query))
    const isGivenUp = found.length < wanted
    // The filter has left so few that the search of the graph was given up: nearer ones may be missing.
    if (isGivenUp && isFiltered && isScannable) break
    // The candidates come nearest first: after one below the threshold none is above it.
    const isEnd = similar.length < found.length
    head.push(...similar.slice(0, stage.results))
    if ((isEnd && similar.length <= stage.results) || head.length >= end) return approximate()
    if (isGivenUp) break
  }
  return isScannable ? continueExactly(statements, query, page, head) : approximate()
}

/** Whether an exact search of a project may take as long as it takes. */
export const canScan = (
  { vectors, dimensions }: Omit<CollectionSize, 'collectionId'>,
  maxScan: number,
) => vectors * dimensions <= maxScan

export async function continueExactly(
  statements: Pick<Statements, 'exactly'>,
  query: Query,
  { offset, limit }: Page,
  head: readonly Candidate[],
): Promise<Ranking> {
  const begun = head.slice(offset)
  const rest = await statements.exactly(
    query,
    { offset: Math.max(0, offset - head.length), limit: limit - begun.length },
    idsOf(head),
  )
  // When the rest holds nothing nearer than the head, the head is what an exact search begins with.
  const [{ nearest } = { nearest: Number.POSITIVE_INFINITY }] = rest
  const missed = head.some(({ distance }) => distance >= nearest)
  return { results: inOrder([...begun, ...rest]), mode: missed ? 'approximate' : 'exact' }
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
