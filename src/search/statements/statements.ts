import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/database.ts'
import type { Page } from '../../db/page.ts'
import { pgvectorBytes } from '../../vectors/encoding.ts'
import type { Effort } from '../index/effort.ts'
import type { SearchIndex } from '../index/policy.ts'
import { candidateStatement, keptStatement } from './candidate-statement.ts'
import { exactStatement } from './exact-statement.ts'
import { type IndexVariant, indexStatement } from './index-statement.ts'
import type { Candidate, Query } from './query.ts'
import { type Variant, valuesOf, variantOf } from './variant.ts'

/** Statement texts differ by the project's index and by the form of the filter. */
const maxCached = 2_000

export type Statements = ReturnType<typeof createStatements>

/**
 * The statements of a search. Each variant is built once, because building costs as much as the
 * rest of a short request.
 * @param takesBytes whether to send a vector in binary form: the embedded engine takes twice as
 *   long to read a vector's text as for everything else
 */
export function createStatements(db: Db, takesBytes = false) {
  const exact = cached((variant: Variant) => exactStatement(db, variant))
  const indexed = cached((variant: IndexVariant) => indexStatement(db, variant))
  const kept = cached((variant: Variant) => keptStatement(db, variant))
  const candidates = cached((variant: Variant) => candidateStatement(db, variant))

  return {
    /**
     * Compares every vector of the project, except those of `excludedIds`.
     * @returns a page, regardless of the threshold; each row has the distance of the nearest of all
     */
    exactly: (query: Query, { limit, offset }: Page, excludedIds: readonly string[] = []) =>
      exact(variantOf(query, excludedIds)).execute({
        ...valuesOf(query, excludedIds),
        nearest: offset + limit + excludedIds.length,
        limit,
        offset,
      }),

    /**
     * The nearest by the project's index, except those of `excludedIds`, ranked by their float32
     * vectors, regardless of the threshold.
     * @returns fewer than `limit` only if the index returns no more
     */
    byIndex: (
      query: Query,
      { collectionId, dimensions, kind }: SearchIndex,
      effort: Effort,
      limit: number,
      excludedIds: readonly string[] = [],
    ): Promise<Candidate[]> => {
      const form = { collectionId, dimensions, kind }
      const statement = indexed({ ...variantOf(query, excludedIds), form, effort })
      return statement.execute({ ...valuesOf(query, excludedIds), limit })
    },

    /**
     * Compares those of these embeddings that the filter keeps.
     * @param proposedIds text_ids as a JSON array
     */
    kept: (query: Query, proposedIds: string, limit: number) =>
      kept(variantOf(query, [])).execute({ ...valuesOf(query, []), proposedIds, limit }),

    /**
     * Ranks the candidates that may be results, nearest first, regardless of the threshold.
     * @param textIds of the candidates
     */
    candidates: (query: Query, textIds: readonly string[]): Promise<Candidate[]> => {
      const { source } = query
      return candidates(variantOf(query, [])).execute({
        ...valuesOf(query, []),
        ...(takesBytes && 'vector' in source && { vector: pgvectorBytes(source.vector) }),
        proposedIds: JSON.stringify(textIds),
      })
    },
  }
}

/** Builds a statement for each variant and keeps the most recently used. */
export function cached<V extends Variant, Statement extends object>(
  build: (variant: V) => Statement,
) {
  const statements = new LRUCache<string, Statement>({ max: maxCached })
  return (variant: V): Statement => {
    const key = JSON.stringify(variant)
    const found = statements.get(key)
    if (found !== undefined) return found
    const statement = build(variant)
    statements.set(key, statement)
    return statement
  }
}
