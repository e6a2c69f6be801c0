import type { Page } from '../db/page.ts'
import type { Scan } from './pieces.ts'
import type { Candidate, Search } from './query.ts'
import { type Ranking, rankingOf, textIdOrder } from './ranking.ts'

/** A page of an exact ranking. */
export interface ExactPage {
  /** Includes those below the threshold. */
  readonly candidates: readonly Candidate[]
  /** The distance of the nearest of all that are left, on any page; infinite if none is left. */
  readonly nearest: number
}

/** Finds a page of the exact ranking without the embeddings of `excludedIds`. */
export type Exactly = (
  scan: Scan,
  page: Page,
  excludedIds?: readonly string[],
) => Promise<ExactPage>

/** Continues a ranking with an exact search after its head. */
export async function continueExactly(
  search: Search,
  head: readonly Candidate[],
  exactly: Exactly,
): Promise<Ranking> {
  const { offset, limit } = search.page
  const begun = head.slice(offset)
  const rest = { offset: Math.max(0, offset - head.length), limit: limit - begun.length }
  const headIds = head.map(({ id }) => id)
  const { candidates, nearest } = await exactly(search, rest, headIds)
  // If nothing that follows is nearer, an exact search would begin with the head too. It was found
  // in stages: a later one may find what an earlier one has missed.
  const isMissed = head.some((candidate, at) => {
    const next = head[at + 1]
    return candidate.distance >= nearest || (next !== undefined && isBehind(candidate, next))
  })
  return rankingOf(
    search.query,
    [...begun, ...candidates],
    isMissed ? 'approximate' : 'exact',
    true,
  )
}

const isBehind = (one: Candidate, other: Candidate) =>
  one.distance > other.distance ||
  (one.distance === other.distance && textIdOrder(one.id, other.id) > 0)
