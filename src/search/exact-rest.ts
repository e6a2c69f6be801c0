import type { Page } from '../db/page.ts'
import type { Candidate, Search } from './query.ts'
import { type Ranking, rankingOf } from './ranking.ts'

/** The rest of a page, after the head of a ranking. */
export interface Rest {
  /** Includes those below the threshold. */
  readonly candidates: readonly Candidate[]
  /** The distance of the nearest of all that are left, on any page; infinite if none is left. */
  readonly nearest: number
}

/** Finds a page of the exact ranking without the embeddings of `excludedIds`. */
export type FindRest = (page: Page, excludedIds: readonly string[]) => Promise<Rest>

/** Continues a ranking with an exact search after its head. */
export async function continueExactly(
  { query, page: { offset, limit } }: Search,
  head: readonly Candidate[],
  findRest: FindRest,
): Promise<Ranking> {
  const begun = head.slice(offset)
  const rest = { offset: Math.max(0, offset - head.length), limit: limit - begun.length }
  const { candidates, nearest } = await findRest(
    rest,
    head.map(({ id }) => id),
  )
  // If nothing in the rest is nearer than the head, an exact search would begin with the head too.
  const isMissed = head.some(({ distance }) => distance >= nearest)
  return rankingOf(query, [...begun, ...candidates], isMissed ? 'approximate' : 'exact', true)
}
