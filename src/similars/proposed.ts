import type { Page } from '../db/page.ts'
import type { Proposer, Sought, Wanted } from '../db/proposer.ts'
import { type Candidate, isFiltered, maxDistance, type Query } from './query.ts'
import { canScan, continueExactly, type Ranking, rankingOf } from './ranking.ts'
import type { Statements } from './statements.ts'

/** More are not asked for: then a filter leaves so little that the database had better look at all. */
const mostProposed = 2_000

/** The beginning of a ranking. */
interface Head {
  /** Where it ends for the threshold, those below it too that were found. */
  readonly candidates: readonly Candidate[]
  /** Why there are no more: all that there are have been looked at, or the next are below the threshold. */
  readonly end: 'threshold' | 'all' | undefined
  readonly isExact: boolean
}

/** What a search needs to have embeddings proposed. */
export interface ProposedQuery {
  readonly proposer: Proposer
  readonly collection: Wanted
  readonly sought: Sought
  /** The share of the project that a filter is expected to keep, where it was estimated. */
  readonly kept: number | undefined
}

/**
 * A ranking of what the proposer has in memory. The database ranks what is proposed by its float32 vectors
 * and applies the filter; more is proposed until enough of it is left. As with an index, what was found
 * without comparing all vectors comes first, and an exact search finds the rest.
 * @param maxScan components (vectors × dimensions) above which there is no exact search for the rest
 * @returns undefined when the proposer cannot tell enough
 */
export async function rankProposed(
  from: ProposedQuery,
  statements: Statements,
  query: Query,
  page: Page,
  exact: boolean,
  maxScan: number,
): Promise<Ranking | undefined> {
  const end = page.offset + page.limit
  const head = await headOf(from, statements, query, end, exact)
  if (head === undefined) return undefined
  const { candidates, isExact } = head
  const found = candidates.slice(page.offset, end)
  const isAll = candidates.length >= end || head.end === 'all'
  const mode = isExact ? 'exact' : 'approximate'
  if (isAll || head.end === 'threshold') return rankingOf(query, found, mode, isAll)
  if (isExact) return undefined
  if (!canScan(from.collection, maxScan)) return rankingOf(query, found, mode, false)
  return continueExactly(
    (...rest) => restOf(from, statements, query, ...rest),
    query,
    page,
    candidates,
  )
}

/** An exact search for the rest of a page, by the database where the proposer cannot tell. */
async function restOf(
  from: ProposedQuery,
  statements: Statements,
  query: Query,
  rest: Page,
  excludedIds: readonly string[],
) {
  const end = rest.offset + rest.limit
  const wanted = end + excludedIds.length
  const head = await headOf(from, statements, query, wanted, true)
  const isAll = head === undefined || head.candidates.length >= wanted || head.end === 'all'
  if (head === undefined || !(isAll || head.end)) {
    return { candidates: await statements.exactly(query, rest, excludedIds), isAll: true }
  }
  const excluded = new Set(excludedIds)
  const left = head.candidates.filter(({ id }) => !excluded.has(id))
  const nearest = left[0]?.distance ?? Number.POSITIVE_INFINITY
  const page = left.slice(rest.offset, end).map((candidate) => ({ ...candidate, nearest }))
  return { candidates: page, isAll: isAll || page.length === rest.limit }
}

async function headOf(
  { proposer, collection, sought, kept = 1 }: ProposedQuery,
  statements: Statements,
  query: Query,
  wanted: number,
  exact: boolean,
): Promise<Head | undefined> {
  if (wanted > mostProposed) return undefined
  // Enough for a filter that leaves out half; for one that leaves less more is proposed.
  const mayLeaveOut = isFiltered(query) ? 2 * Math.ceil(wanted / kept) : 1
  const enough = Math.min(wanted + mayLeaveOut, mostProposed)
  for (let count = Math.max(enough, wanted + 1); ; count *= 4) {
    const found = await proposer.rank(
      collection,
      { sought, count, exact },
      statements.proposed(query, sought),
    )
    if (found === undefined) return undefined
    const { completeDownTo, isExact } = found
    const ranked = found.rows.map(candidateOf)
    const similar = ranked.filter(({ distance }) => distance <= maxDistance(query))
    const hasAll = isExact && completeDownTo <= -1
    // Fewer than were asked for, but not of all vectors.
    const isSpent = !isExact && completeDownTo <= -1
    // Further away than that, there may be others that were not proposed.
    const certain = similar.filter(({ distance }) => hasAll || distance <= 1 - completeDownTo)
    const isBelow = hasAll || (!isSpent && 1 - completeDownTo >= maxDistance(query))
    if (certain.length >= wanted || isBelow || isSpent || count > mostProposed) {
      const end = hasAll ? 'all' : isBelow ? 'threshold' : undefined
      // Once it is below the threshold, the order of those below does not matter: none is a result.
      const candidates = (isBelow ? ranked : certain).slice(0, wanted)
      return { candidates, end: certain.length > wanted ? undefined : end, isExact }
    }
  }
}

/** From a row (text_id, distance). */
function candidateOf(row: unknown): Candidate {
  const [id, distance] = Array.isArray(row) ? row : []
  return { id: String(id), distance: Number(distance) }
}
