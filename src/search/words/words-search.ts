import type { Collection } from '../../access/project.ts'
import type { Database } from '../../db/database.ts'
import type { Page } from '../../db/page.ts'
import type { RankAsked } from '../groups.ts'
import { createRankListed } from '../listed.ts'
import type { SearchOptions } from '../options.ts'
import type { Query } from '../query.ts'
import { type Ranking, type Result, similarityAt } from '../ranking.ts'
import type { Rank, StrategyRanking } from '../search.ts'
import { fuse, fusedDepth } from './fuse.ts'
import { createFindMatches } from './matches.ts'
import type { WordMatch } from './thread.ts'
import type { WordCache } from './word-cache.ts'
import { parseWords } from './word-query.ts'

/** How far down the ranking by the vector to look for results without the excluded words. */
const maxDepth = 64 * fusedDepth
/** Groups are looked for among so many of the best matches. */
const maxGrouped = 10_000

/**
 * The searches that `words` asks for.
 * @param byVector ranks without words
 */
export function createWordRanks(
  database: Database,
  cache: WordCache,
  byVector: Rank,
  rankAsked: RankAsked,
) {
  const { db } = database.search
  const findMatches = createFindMatches(database, cache)
  const rankListed = createRankListed(db)

  /** Compares matches with the vector, and leaves out those that cannot be results. */
  const compared = async (query: Query, found: readonly WordMatch[]): Promise<Result[]> => {
    const textIds = found.map(({ textId }) => textId)
    const listed = await rankListed(query, JSON.stringify(textIds), textIds.length)
    const distances = new Map(listed.map(({ id, distance }) => [id, distance]))
    return found.flatMap(({ textId: id, score: wordsScore }) => {
      const distance = distances.get(id)
      return distance === undefined ? [] : [{ id, similarity: similarityAt(distance), wordsScore }]
    })
  }

  /** The first results by the vector whose texts have none of the excluded words. */
  const nearest = async (
    collection: Collection,
    query: Query,
    options: SearchOptions,
    words: string,
  ): Promise<StrategyRanking> => {
    const isExcluding = parseWords(words).excluded.length > 0
    for (let limit = fusedDepth; ; limit *= 4) {
      const page = { ...options, limit, offset: 0, grouping: undefined }
      const near = await byVector(collection, query, page)
      if (!isExcluding || near.results.length === 0) return near
      const textIds = near.results.map(({ id }) => id)
      const excluded = await cache.excluded(collection, words, textIds)
      const left = near.results.filter(({ id }) => !excluded.has(id))
      const isEnough = left.length >= fusedDepth || near.results.length < limit
      if (!isEnough && limit < maxDepth) continue
      const mode = isEnough ? near.mode : 'approximate'
      return { ...near, mode, results: left.slice(0, fusedDepth) }
    }
  }

  /** By words alone. Of the query, only the project and what is left out count. */
  const byWords: Rank = async (collection, query, options) => {
    const words = options.words ?? { words: '' }
    let total = 0
    const rank = async (page: Page): Promise<Ranking> => {
      const matches = await findMatches(collection, query, words, page, options.totals)
      total = matches.total
      const results = matches.found.map(({ textId, score }) => ({ id: textId, score }))
      const isCut = options.grouping !== undefined && total > maxGrouped
      return { results, mode: isCut ? 'approximate' : 'exact', hidden: undefined }
    }
    const { collectionId } = query
    const ranking = await rankAsked({ collectionId, rank, maxWalked: maxGrouped }, options)
    return {
      ...ranking,
      strategy: 'words',
      notInMemory: undefined,
      totalSimilar: options.totals ? total : undefined,
    }
  }

  /** By a vector, and by words if there are any. */
  const byVectorAndWords: Rank = async (collection, query, options) => {
    const { words } = options
    if (words === undefined) return byVector(collection, query, options)
    // More, since the embeddings that are searched for may be among them.
    const page = { offset: 0, limit: fusedDepth + 1 + query.without.length }
    const [near, matches] = await Promise.all([
      nearest(collection, query, options, words.words),
      findMatches(collection, query, words, page, false).then(({ found }) =>
        compared(query, found),
      ),
    ])
    const fused = fuse(near.results, matches.slice(0, fusedDepth), words.weights)
    const rank = async ({ offset, limit }: Page): Promise<Ranking> => ({
      results: fused.slice(offset, offset + limit),
      mode: near.mode,
      hidden: undefined,
    })
    const { collectionId } = query
    const ranking = await rankAsked({ collectionId, rank, maxWalked: maxGrouped }, options)
    return { ...near, ...ranking }
  }

  return { byWords, byVectorAndWords }
}
