import type { Page } from '../db/page.ts'
import type { CollectionState, QueryVector } from '../vector-cache/candidates.ts'
import type { VectorCache } from '../vector-cache/vector-cache.ts'
import { type Candidate, isFiltered, maxDistance, type Query } from './query.ts'
import { canScan, continueExactly, type Ranking, rankingOf } from './ranking.ts'
import type { Statements } from './statements.ts'

/** More are not asked for: then a filter leaves so little that the database had better look at all. */
const mostCandidates = 2_000

/** The beginning of a ranking. */
interface Head {
  /** Where it ends for the threshold, those below it too that were found. */
  readonly candidates: readonly Candidate[]
  /** Why there are no more: all that there are have been looked at, or the next are below the threshold. */
  readonly end: 'threshold' | 'all' | undefined
  readonly isExact: boolean
}

/** What a search needs to have candidates found in memory. */
export interface CachedQuery {
  readonly cache: VectorCache
  readonly collection: CollectionState
  readonly vector: QueryVector
  /** The share of the project that a filter is expected to keep, where it was estimated. */
  readonly kept: number | undefined
}

/**
 * A ranking of what is in memory. The database ranks the candidates by its float32 vectors and applies the
 * filter; there are more candidates until enough of them are left.
 * @param maxScan components (vectors × dimensions) above which there is no exact search for the rest
 * @returns undefined when the cache cannot tell enough
 */
export async function rankCached(
  from: CachedQuery,
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

/** An exact search for the rest of a page, by the database where the cache cannot tell. */
async function restOf(
  from: CachedQuery,
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
  { cache, collection, vector, kept = 1 }: CachedQuery,
  statements: Statements,
  query: Query,
  wanted: number,
  exact: boolean,
): Promise<Head | undefined> {
  if (wanted > mostCandidates) return undefined
  // Enough for a filter that leaves out half; for one that leaves less there are more.
  const mayLeaveOut = isFiltered(query) ? 2 * Math.ceil(wanted / kept) : 1
  const enough = Math.min(wanted + mayLeaveOut, mostCandidates)
  for (let count = Math.max(enough, wanted + 1); ; count *= 4) {
    const found = await cache.candidates(collection, { query: vector, count, exact })
    if (found === undefined) return undefined
    const { completeDownTo, isExact, textIds } = found
    const elements = 'vector' in vector ? vector.vector : undefined
    const ranked = await statements.candidates(query, textIds, elements)
    const similar = ranked.filter(({ distance }) => distance <= maxDistance(query))
    const hasAll = isExact && completeDownTo <= -1
    // Fewer than were asked for, but not of all vectors.
    const isSpent = !isExact && completeDownTo <= -1
    // Further away than that, there may be others that are no candidates.
    const certain = similar.filter(({ distance }) => hasAll || distance <= 1 - completeDownTo)
    const isBelow = hasAll || (!isSpent && 1 - completeDownTo >= maxDistance(query))
    if (certain.length >= wanted || isBelow || isSpent || count > mostCandidates) {
      const end = hasAll ? 'all' : isBelow ? 'threshold' : undefined
      // Once it is below the threshold, the order of those below does not matter: none is a result.
      const candidates = (isBelow ? ranked : certain).slice(0, wanted)
      return { candidates, end: certain.length > wanted ? undefined : end, isExact }
    }
  }
}
