import { maxDistance, similarityAt } from '../../vectors/distance.ts'
import type { Candidate, Query, Search } from '../statements/query.ts'
import type { Statements } from '../statements/statements.ts'

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
export interface Rest {
  /** Also those below the threshold. `nearest` is the distance of the nearest that is left. */
  readonly candidates: readonly (Candidate & { readonly nearest: number })[]
  /** Whether these are all that belong on the page, also below the threshold. */
  readonly isAll: boolean
}

/** Compares every vector of the project. */
export async function rankExactly(
  statements: Statements,
  { query, page }: Search,
): Promise<Ranking> {
  return rankingOf(query, await statements.exactly(query, page), 'exact', true)
}

/** Compares all that a filter keeps. @param textIds of these, as a list in JSON */
export async function rankMatches(
  statements: Statements,
  { query, page }: Search,
  textIds: string,
): Promise<Ranking> {
  const found = await statements.kept(query, textIds, page.offset + page.limit)
  return rankingOf(query, found.slice(page.offset), 'exact', true)
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

/**
 * Goes on with an exact search where the head of a ranking ends.
 * @param restOf finds what is left, but for these text_ids
 */
export async function continueExactly(
  restOf: (rest: Search['page'], excludedIds: readonly string[]) => Promise<Rest>,
  { query, page: { offset, limit } }: Search,
  head: readonly Candidate[],
): Promise<Ranking> {
  const begun = head.slice(offset)
  const { candidates, isAll } = await restOf(
    { offset: Math.max(0, offset - head.length), limit: limit - begun.length },
    head.map(({ id }) => id),
  )
  // When the rest holds nothing nearer than the head, the head is what an exact search begins with.
  const [{ nearest } = { nearest: Number.POSITIVE_INFINITY }] = candidates
  const missed = head.some(({ distance }) => distance >= nearest)
  return rankingOf(query, [...begun, ...candidates], missed ? 'approximate' : 'exact', isAll)
}

/** Most similar first, equal ones by text_id, whichever statements have found them. */
export const inOrder = (page: readonly Candidate[]): Result[] =>
  page
    .map(({ id, distance }) => ({ id, similarity: similarityAt(distance) }))
    .sort(
      (a, b) => b.similarity - a.similarity || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
    )
