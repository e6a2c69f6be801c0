import type { Page } from '../../db/page.ts'
import type { Matches } from '../../vector-cache/candidates.ts'
import type { VectorCache } from '../../vector-cache/vector-cache.ts'
import { distanceAt, maxDistance } from '../../vectors/distance.ts'
import type { Candidate, Search } from '../statements/query.ts'
import type { Statements } from '../statements/statements.ts'
import { continueExactly, type Ranking, type Rest, rankingOf } from './ranking.ts'

/** More are not asked for: by then the database had better look at all. */
const maxCandidates = 2_000

/**
 * With a filter that was not asked for before, so many times as many are asked for without it: where it leaves
 * enough of them, which are the same then, it need not be known what else it keeps.
 */
const perNewFilter = 10

/** The beginning of a ranking. */
interface Head {
  /** Where it ends for the threshold, those below it too that were found. */
  readonly candidates: readonly Candidate[]
  /** Why there are no more: all that there are have been looked at, or the next are below the threshold. */
  readonly end: 'threshold' | 'all' | undefined
  readonly isExact: boolean
}

/** What finds candidates in memory, and ranks them. */
export interface Memory {
  readonly cache: VectorCache
  readonly statements: Statements
  /** What the filter of the search keeps; undefined without one. */
  readonly matches: Matches | undefined
}

/**
 * A ranking of what is in memory. The database ranks the candidates by its float32 vectors, and decides what
 * the filter keeps of them.
 * @returns undefined when the cache cannot tell enough
 */
export async function rankCached(
  memory: Memory,
  search: Search,
  exact: boolean,
): Promise<Ranking | undefined> {
  const { query, page, canScan } = search
  const end = page.offset + page.limit
  const head = await headOf(memory, search, end, exact)
  if (head === undefined) return undefined
  const { candidates, isExact } = head
  const found = candidates.slice(page.offset, end)
  const isAll = candidates.length >= end || head.end === 'all'
  const mode = isExact ? 'exact' : 'approximate'
  if (isAll || head.end === 'threshold') return rankingOf(query, found, mode, isAll)
  if (isExact) return undefined
  if (!canScan) return rankingOf(query, found, mode, false)
  return continueExactly((...rest) => restOf(memory, search, ...rest), search, candidates)
}

/** An exact search for the rest of a page, by the database where the cache cannot tell. */
async function restOf(
  memory: Memory,
  search: Search,
  rest: Page,
  excludedIds: readonly string[],
): Promise<Rest> {
  const end = rest.offset + rest.limit
  const wanted = end + excludedIds.length
  const head = await headOf(memory, search, wanted, true)
  const isAll = head === undefined || head.candidates.length >= wanted || head.end === 'all'
  if (head === undefined || !(isAll || head.end)) {
    const candidates = await memory.statements.exactly(search.query, rest, excludedIds)
    return { candidates, isAll: true }
  }
  const excluded = new Set(excludedIds)
  const left = head.candidates.filter(({ id }) => !excluded.has(id))
  const nearest = left[0]?.distance ?? Number.POSITIVE_INFINITY
  const page = left.slice(rest.offset, end).map((candidate) => ({ ...candidate, nearest }))
  return { candidates: page, isAll: isAll || page.length === rest.limit }
}

async function headOf(
  { cache, statements, matches }: Memory,
  { query, collection }: Search,
  wanted: number,
  exact: boolean,
): Promise<Head | undefined> {
  if (wanted > maxCandidates) return undefined
  const isNew = matches !== undefined && cache.isNewFilter(collection.collectionId, matches)
  const isTry = isNew && wanted * perNewFilter <= maxCandidates
  let mask = isTry ? undefined : matches
  for (let count = isTry ? wanted * perNewFilter : wanted + 1; ; ) {
    const request = { query: query.source, count, exact }
    const found = await cache.candidates(collection, request, mask)
    if (found === undefined) return undefined
    const { completeDownTo, isExact, textIds } = found
    const ranked = await statements.candidates(query, textIds)
    const similar = ranked.filter(({ distance }) => distance <= maxDistance(query))
    const hasAll = isExact && completeDownTo <= -1
    // Fewer than were asked for, but not of all vectors.
    const isSpent = !isExact && completeDownTo <= -1
    // Further away than that, there may be others that are no candidates.
    const complete = distanceAt(completeDownTo)
    const certain = similar.filter(({ distance }) => hasAll || distance <= complete)
    const isBelow = hasAll || (!isSpent && complete >= maxDistance(query))
    const isLast = mask === matches && (isSpent || count > maxCandidates)
    if (certain.length >= wanted || isBelow || isLast) {
      const end = hasAll ? 'all' : isBelow ? 'threshold' : undefined
      // Once it is below the threshold, the order of those below does not matter: none is a result.
      const candidates = (isBelow ? ranked : certain).slice(0, wanted)
      return { candidates, end: certain.length > wanted ? undefined : end, isExact }
    }
    count = mask === matches ? count * 4 : wanted + 1
    mask = matches
  }
}
