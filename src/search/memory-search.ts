import { tookTooLong } from '../db/errors.ts'
import { continueExactly, type Exactly } from './exact-rest.ts'
import type { RankListed } from './listed.ts'
import type { Matches } from './memory/candidates.ts'
import type { VectorCache } from './memory/vector-cache.ts'
import type { Candidate, Search } from './query.ts'
import { distanceAt, isSimilar, maxDistance, type Ranking, rankingOf } from './ranking.ts'

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
  /** Whether a search for more candidates would not change what was wanted of the head. */
  readonly isEnough: boolean
  /** Whether fewer were found than asked for, though not every vector was compared. */
  readonly isSpent: boolean
}

interface Tools {
  readonly cache: VectorCache
  readonly rankListed: RankListed
  /** Gives up on a filter that takes long, so that others get their turn. */
  readonly rankListedQuickly: RankListed
  /** Compares every vector in the database. */
  readonly exactly: Exactly
}

/** A search in memory: exact or not, and what its filter keeps; undefined without one. */
interface MemorySearch extends Search {
  readonly exact: boolean
  readonly matches: Matches | undefined
}

/**
 * Ranks vectors in memory. The database ranks the candidates by their float32 vectors and decides
 * which of them the filter keeps.
 * @returns undefined if the cache does not find enough
 */
export async function rankInMemory(
  tools: Tools,
  search: MemorySearch,
): Promise<Ranking | undefined> {
  const { query, page, canScan } = search
  const pageEnd = page.offset + page.limit
  const head = await findHead(tools, search, pageEnd)
  if (head === undefined) return undefined
  const { candidates, end, isExact } = head
  const isAll = candidates.length >= pageEnd || end === 'all'
  const isFinal = isAll || end === 'threshold'
  if (isExact && !isFinal) return undefined
  if (isFinal || !canScan) {
    const mode = isExact ? 'exact' : 'approximate'
    return rankingOf(query, candidates.slice(page.offset, pageEnd), mode, isAll)
  }
  return continueExactly(search, candidates, tools.exactly)
}

/** Asks the cache for more and more candidates until the first `wanted` of the ranking are known. */
async function findHead(
  tools: Tools,
  search: MemorySearch,
  wanted: number,
): Promise<Head | undefined> {
  if (wanted > maxCandidates) return undefined
  const { matches, collection } = search
  const manyCandidates = wanted * perNewFilter
  const isNew = matches !== undefined && tools.cache.isNewFilter(collection.collectionId, matches)
  if (isNew && manyCandidates <= maxCandidates) {
    const unfiltered = { ...search, matches: undefined }
    const quick = { ...tools, rankListed: tools.rankListedQuickly }
    const head = await headAmong(quick, unfiltered, manyCandidates, wanted).catch((error) => {
      // With large metadata, so many candidates may take longer than a statement may.
      if (!tookTooLong(error)) throw error
      return 'too slow' as const
    })
    if (head !== 'too slow' && (head === undefined || head.isEnough)) return head
  }
  for (let count = wanted + 1; ; count *= 4) {
    const head = await headAmong(tools, search, count, wanted)
    if (head === undefined || head.isEnough || head.isSpent || count > maxCandidates) return head
  }
}

/**
 * Ranks the first `count` candidates of the cache.
 * @returns at most `wanted`, those that are certain to come before all others
 */
async function headAmong(
  { cache, rankListed }: Tools,
  { query, collection, matches, exact, minRecall }: MemorySearch,
  count: number,
  wanted: number,
): Promise<Head | undefined> {
  const request = { query: query.source, count, exact, minRecall }
  const found = await cache.candidates(collection, request, matches)
  if (found === undefined) return undefined
  const { completeDownTo, isExact, textIds } = found
  const hasMore = completeDownTo > -1
  const hasAll = isExact && !hasMore
  const isSpent = !isExact && !hasMore
  // Beyond this distance, there may be vectors that are not among the candidates.
  const complete = hasAll ? Number.POSITIVE_INFINITY : distanceAt(completeDownTo)
  const ranked = await rankListed(query, JSON.stringify(textIds), textIds.length)
  const certain = ranked.filter(
    (candidate) => isSimilar(query, candidate) && candidate.distance <= complete,
  )
  const isBelow = !isSpent && complete >= maxDistance(query)
  const end = hasAll ? 'all' : isBelow ? 'threshold' : undefined
  return {
    // Below the threshold the order does not matter, since nothing there is a result.
    candidates: (isBelow ? ranked : certain).slice(0, wanted),
    end: certain.length > wanted ? undefined : end,
    isExact,
    isEnough: certain.length >= wanted || isBelow,
    isSpent,
  }
}
