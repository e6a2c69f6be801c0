import type { Page } from '../db/page.ts'
import type { Filter } from '../filters/filter.ts'
import type { Collection } from '../projects/project.ts'
import { beamsFor } from '../search-indexes/filtered-effort.ts'
import type { CollectionSize, SearchIndex } from '../search-indexes/policy.ts'
import type { createFilterEstimate, Shares } from './filter-estimate.ts'
import { type createKeptIds, fewKept } from './kept-ids.ts'
import type { Query } from './query.ts'
import { canScan, type Ranking, rankingOf, rankWithIndex } from './ranking.ts'
import type { Statements } from './statements.ts'

/**
 * How many can be compared while the graph is searched once: the effort of that grows with the project
 * (src/search-indexes/effort.ts).
 */
const comparable = ({ vectors }: CollectionSize) => Math.round(1_500 * (vectors / 32_768) ** 0.4)
/** Twice as many as were expected: the estimate was wrong. */
const tooMany = 2
/** Above it the index on the metadata saves nothing against reading the whole project. */
const mostByMetadata = 0.25
/** Components (vectors × dimensions) below which comparing all takes no longer. */
const fewestComponents = 250_000

export interface FilteredQuery {
  readonly statements: Statements
  readonly query: Query
  readonly filter: Filter
  readonly page: Page
}

/** What is known of filters from one search to the next. */
export interface KnownFilters {
  readonly estimate: ReturnType<typeof createFilterEstimate>
  readonly keptIds: ReturnType<typeof createKeptIds>
}

/**
 * A ranking of all that a filter keeps, where that is little: found by the index on the metadata or, for
 * what no index knows, remembered from a search before.
 * @returns the ranking, or how much the filter keeps
 */
export async function rankKept(
  { statements, query, filter, page }: FilteredQuery,
  collection: Collection,
  { estimate, keptIds }: KnownFilters,
): Promise<{ ranking: Ranking } | { shares: Shares }> {
  const { collectionId, vectors, index } = collection
  const { dimensions } = query
  const everything = { shares: { kept: 1, indexed: undefined } }
  if (vectors * dimensions < fewestComponents || query.filter === undefined) return everything
  const size = { collectionId, vectors, dimensions }
  const estimated = await estimate(size, filter)
  let { shares } = estimated
  const { kept, indexed } = shares
  const few = comparable(size)
  if (index !== undefined && indexed !== undefined && indexed * vectors <= few) {
    const found = await statements.matching(query, size, page, tooMany * few)
    if (found.isThere && found.count < tooMany * few) {
      return { ranking: rankingOf(query, found.candidates, 'exact', true) }
    }
    if (found.isThere) {
      const least = Math.min(1, (tooMany * few) / vectors)
      // The pages behind this one are ranked by what is known then, and so is this one.
      shares = { kept: Math.max(kept, least), indexed: Math.max(indexed, least) }
      estimated.correct(shares)
    }
  }
  if (shares.kept * vectors > fewKept) return { shares }
  const ids = await keptIds(collection, filter, query.filter)
  if (ids === undefined) return { shares }
  const found = await statements.kept(query, ids, page.offset + page.limit)
  return { ranking: rankingOf(query, found.slice(page.offset), 'exact', true) }
}

/**
 * A ranking of what a filter keeps by the search index, as far as the filter keeps enough of what is nearest
 * there. Where it does not, near the query it keeps less than elsewhere, and a graph would miss results: all
 * that is kept is compared.
 */
export async function rankFiltered(
  { statements, query, page }: FilteredQuery,
  { kept, indexed }: Shares,
  index: SearchIndex,
  maxScan: number,
  minRecall: number | undefined,
): Promise<Ranking> {
  if (!canScan(index, maxScan)) {
    return rankWithIndex(statements, query, page, index, maxScan, minRecall)
  }
  const exactly = async (rest: Page, excludedIds: readonly string[]) => {
    if (indexed !== undefined && indexed <= mostByMetadata) {
      const found = await statements.matching(query, index, rest, index.vectors * 2, excludedIds)
      if (found.isThere) return found.candidates
    }
    return statements.exactly(query, rest, excludedIds)
  }
  const stages = beamsFor(index, kept, minRecall)
  return rankWithIndex(statements, query, page, index, maxScan, minRecall, { stages, exactly })
}
