import type { Page } from '../db/page.ts'
import type { Candidate, Search } from './query.ts'
import { type Ranking, rankingOf, textIdOrder } from './ranking.ts'

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
  // If nothing that follows is nearer, an exact search would begin with the head too. It was found
  // in stages: a later one may find what an earlier one has missed.
  const isMissed = head.some((candidate, at) => {
    const next = head[at + 1]
    return candidate.distance >= nearest || (next !== undefined && isBehind(candidate, next))
  })
  return rankingOf(query, [...begun, ...candidates], isMissed ? 'approximate' : 'exact', true)
}

const isBehind = (one: Candidate, other: Candidate) =>
  one.distance > other.distance ||
  (one.distance === other.distance && textIdOrder(one.id, other.id) > 0)
