import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Page } from '../db/page.ts'
import type { IndexKind } from '../db/pgvector.ts'
import type { CompiledFilter } from '../filters/condition.ts'
import type { CollectionState } from './held/collection-state.ts'
import type { QueryVector } from './memory/candidates.ts'

/** The vector to search for, and the documents that may be results. */
export interface Query {
  readonly collectionId: number
  readonly source: QueryVector
  /** The vector as the database reads it; '' if a statement is to read that of a stored embedding. */
  readonly vector: string | Uint8Array
  readonly dimensions: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  /** Results must satisfy it. */
  readonly filter: CompiledFilter | undefined
  /** Whether the stored embedding that is searched for may be a result itself. */
  readonly includeSelf: boolean
  /** Others that may not be results. */
  readonly without: readonly string[]
}

/** A query, with the state of its project at the time of the request. */
export interface Search {
  readonly query: Query
  readonly page: Page
  readonly collection: CollectionState
  /** The kind of the index on vectors of the query's dimensions. */
  readonly index: IndexKind | null
  /** Recall@10 required of an index; undefined for the default. */
  readonly minRecall: number | undefined
  /** Whether the project is small enough for comparing every vector in the database. */
  readonly canScan: boolean
}

export interface Candidate {
  readonly id: string
  /** Cosine distance, as from `cosineDistance`. */
  readonly distance: number
}

/** Whether some documents may be left out. */
export const isFiltered = ({ filter }: Query) => filter !== undefined

/** Equal for filters that keep the same. It is a digest because filters may be long. */
export const filterKey = ({ filter }: Query): string =>
  hash('sha256', JSON.stringify([filter?.form, filter?.values]), 'base64')

/** What the text of a search statement depends on. Everything else is a placeholder value. */
export interface Variant {
  readonly source: 'text_id' | 'vector'
  readonly withoutSelf: boolean
  readonly withoutOthers: boolean
  /** The form of the filter; '' without one. */
  readonly filterForm: string
  /** Equal for equal forms. The key of a variant is JSON, which omits it. */
  readonly condition: CompiledFilter['condition'] | undefined
  /** Equal for equal forms; not in the key either. */
  readonly indexed: CompiledFilter['indexed'] | undefined
}

export function variantOf(query: Query): Variant {
  const { source, includeSelf, without, filter } = query
  const isStored = 'textId' in source
  return {
    source: isStored && query.vector === '' ? 'text_id' : 'vector',
    withoutSelf: isStored && !includeSelf,
    withoutOthers: without.length > 0,
    filterForm: filter?.form ?? '',
    condition: filter?.condition,
    indexed: filter?.indexed,
  }
}

/** The values of the placeholders, by name. */
export const valuesOf = (query: Query) => {
  const { collectionId, dimensions, source, without, filter } = query
  return {
    collectionId,
    dimensions,
    // Not made for a statement without this placeholder.
    get vector() {
      return query.vector
    },
    ...(without.length > 0 && { withoutIds: JSON.stringify(without) }),
    ...('textId' in source && source),
    ...filter?.values,
  }
}

/** Statement texts differ by the project's index and by the form of the filter. */
const maxStatements = 2_000

/** A statement as Drizzle prepares it. */
interface Prepared<Row> {
  execute(values: Record<string, unknown>): Promise<Row[]>
}

/**
 * Runs a statement for queries. It is built once for each variant, because building costs as much
 * as the rest of a short request, and the most recently used are kept.
 */
export function forEachVariant<Row, More extends object>(
  build: (variant: Variant & More) => Prepared<Row>,
) {
  const statements = new LRUCache<string, Prepared<Row>>({ max: maxStatements })
  return (query: Query, more: More, values: Record<string, unknown>): Promise<Row[]> => {
    const variant = { ...variantOf(query), ...more }
    const key = JSON.stringify(variant)
    const statement = statements.get(key) ?? build(variant)
    statements.set(key, statement)
    return statement.execute(Object.assign(valuesOf(query), values))
  }
}
