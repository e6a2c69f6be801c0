import { maxDistance, similarityAt } from '../distance.ts'
import type { Candidate, Query, Search } from '../statements/query.ts'
import type { Statements } from '../statements/statements.ts'

export interface Result {
  readonly id: string
  /** Cosine similarity, 0 to 1. */
  readonly similarity: number
  /** The value it is grouped by, as JSON text. */
  readonly group?: string
}

/** A page of results, most similar first, and how it was found. */
export interface Ranking {
  readonly results: Result[]
  readonly mode: 'exact' | 'approximate'
  /** How many places of the page the threshold left empty; undefined if this is unknown. */
  readonly hidden: number | undefined
  /** Measured recall@10 of the index, if the index was used although this is less than required. */
  readonly lowRecall?: number | undefined
}

/** The rest of a page, from an exact search. */
export interface Rest {
  /** Includes those below the threshold. `nearest` is the distance of the nearest that is left. */
  readonly candidates: readonly (Candidate & { readonly nearest: number })[]
  /** Whether these are all that belong on the page, including those below the threshold. */
  readonly isAll: boolean
}

export async function rankExactly(
  statements: Statements,
  { query, page }: Search,
): Promise<Ranking> {
  return rankingOf(query, await statements.exactly(query, page), 'exact', true)
}

/**
 * Compares all that a filter keeps.
 * @param textIds what the filter keeps, as a JSON array
 */
export async function rankMatches(
  statements: Statements,
  { query, page }: Search,
  textIds: string,
): Promise<Ranking> {
  const found = await statements.kept(query, textIds, page.offset + page.limit)
  return rankingOf(query, found.slice(page.offset), 'exact', true)
}

/**
 * Leaves out candidates below the threshold.
 * @param page what would be on the page without a threshold, nearest first
 * @param isAll whether `page` is complete
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
 * Continues a ranking with an exact search after its head.
 * @param restOf finds what is left without these text_ids
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
  // If nothing in the rest is nearer than the head, an exact search would begin with the head too.
  const [{ nearest } = { nearest: Number.POSITIVE_INFINITY }] = candidates
  const missed = head.some(({ distance }) => distance >= nearest)
  return rankingOf(query, [...begun, ...candidates], missed ? 'approximate' : 'exact', isAll)
}

/** Orders by similarity, then by text_id, whichever statements found the candidates. */
export const inOrder = (page: readonly Candidate[]): Result[] =>
  page
    .map(({ id, distance }) => ({ id, similarity: similarityAt(distance) }))
    .sort(
      (a, b) => b.similarity - a.similarity || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
    )
