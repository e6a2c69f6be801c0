import type { Page } from '../../db/page.ts'
import { distanceAt, maxDistance } from '../distance.ts'
import type { Matches } from '../memory/candidates.ts'
import type { VectorCache } from '../memory/vector-cache.ts'
import type { Candidate, Search } from '../statements/query.ts'
import type { Statements } from '../statements/statements.ts'
import { continueExactly, type Ranking, type Rest, rankingOf } from './ranking.ts'

/** Beyond this many candidates, the database compares every vector instead. */
const maxCandidates = 2_000

/**
 * For a filter that was not used before, the cache is first asked for this many times the wanted
 * candidates, without the filter. If the filter keeps enough of them, they are the same as with it,
 * and what else it keeps need not be looked up.
 */
const perNewFilter = 10

/** The first candidates of a ranking. */
interface Head {
  /** If the ranking ends at the threshold, this includes the candidates found below it. */
  readonly candidates: readonly Candidate[]
  /** Why there are no more: every vector was compared, or the next are below the threshold. */
  readonly end: 'threshold' | 'all' | undefined
  readonly isExact: boolean
}

/** What a search in memory needs. */
export interface Memory {
  readonly cache: VectorCache
  readonly statements: Statements
  /** What the filter of the search keeps; undefined without one. */
  readonly matches: Matches | undefined
}

/**
 * Ranks vectors in memory. The database ranks the candidates by their float32 vectors and decides
 * which of them the filter keeps.
 * @returns undefined if the cache does not find enough
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

/** Searches exactly for the rest of a page; in the database if the cache does not find enough. */
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
    // The cache returned fewer than were asked for, without comparing all vectors.
    const isSpent = !isExact && completeDownTo <= -1
    // Beyond this distance, there may be vectors that are not among the candidates.
    const complete = distanceAt(completeDownTo)
    const certain = similar.filter(({ distance }) => hasAll || distance <= complete)
    const isBelow = hasAll || (!isSpent && complete >= maxDistance(query))
    const isLast = mask === matches && (isSpent || count > maxCandidates)
    if (certain.length >= wanted || isBelow || isLast) {
      const end = hasAll ? 'all' : isBelow ? 'threshold' : undefined
      // Below the threshold the order does not matter, since nothing there is a result.
      const candidates = (isBelow ? ranked : certain).slice(0, wanted)
      return { candidates, end: certain.length > wanted ? undefined : end, isExact }
    }
    count = mask === matches ? count * 4 : wanted + 1
    mask = matches
  }
}
