import type { Page } from '../db/page.ts'
import type { Filter } from '../filters/filter.ts'
import { beamsFor } from '../search-indexes/filtered-effort.ts'
import type { SearchIndex } from '../search-indexes/policy.ts'
import type { createFilterEstimate } from './filter-estimate.ts'
import type { Query } from './query.ts'
import { canScan, type Ranking, rankingOf, rankWithIndex } from './ranking.ts'
import type { Statements } from './statements.ts'

/**
 * How many can be compared while the graph is searched once: the effort of that grows with the project
 * (src/search-indexes/effort.ts).
 */
const comparable = ({ vectors }: SearchIndex) => Math.round(2_000 * (vectors / 32_768) ** 0.4)
/** Twice as many as were expected: the estimate was wrong. */
const tooMany = 2
/** Above it the index on the metadata saves nothing against reading the whole project. */
const mostByMetadata = 0.25

/**
 * A ranking of what a filter keeps. Where that is little, by the index on the metadata and the distances of
 * all that is kept; else by the search index, as far as the filter keeps enough of what is nearest there.
 * Where it does not, near the query it keeps less than elsewhere, and a graph would miss results: all that
 * is kept is compared.
 */
export async function rankFiltered(
  statements: Statements,
  { query, filter }: { readonly query: Query; readonly filter: Filter },
  page: Page,
  index: SearchIndex,
  {
    estimate,
    maxScan,
    minRecall,
  }: {
    readonly estimate: ReturnType<typeof createFilterEstimate>
    readonly maxScan: number
    readonly minRecall: number | undefined
  },
): Promise<Ranking> {
  const { shares, correct } = await estimate(index, filter)
  const { kept, indexed } = shares
  const few = comparable(index)
  if (indexed !== undefined && indexed * index.vectors <= few) {
    const found = await statements.matching(query, index, page, tooMany * few)
    if (found.isThere && found.count < tooMany * few) {
      return rankingOf(query, found.candidates, 'exact', true)
    }
    if (found.isThere) {
      const least = Math.min(1, (tooMany * few) / Math.max(index.vectors, 1))
      correct({ kept: Math.max(kept, least), indexed: Math.max(indexed, least) })
    }
  }
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
