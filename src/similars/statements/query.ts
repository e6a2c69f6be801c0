import type { Page } from '../../db/page.ts'
import type { CompiledFilter } from '../../filters/condition.ts'
import type { SearchIndex } from '../../search-indexes/policy.ts'
import type { CollectionState, QueryVector } from '../../vector-cache/candidates.ts'
import type { Exclusion } from './metadata-filter.ts'

/** What is searched for, and among which documents. */
export interface Query {
  readonly collectionId: number
  readonly source: QueryVector
  /** The vector in pgvector's text form; '' where a stored one is searched for. */
  readonly vectorText: string
  readonly dimensions: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  readonly exclude: Exclusion | undefined
  /** Only those are results for which it holds. */
  readonly filter: CompiledFilter | undefined
  /** Whether the embedding that is searched for may be a result. */
  readonly includeSelf: boolean
}

/** A query of a project as it is at the moment of the request. */
export interface Search {
  readonly query: Query
  readonly page: Page
  readonly collection: CollectionState
  /** The index on vectors of the query's dimensions. */
  readonly index: SearchIndex | undefined
  /** Recall@10 that is asked of an index; undefined for the usual one. */
  readonly minRecall: number | undefined
  /** Whether an exact search of the project may take as long as it takes. */
  readonly canScan: boolean
}

export interface Candidate {
  readonly id: string
  /** As `cosineDistance` has it. */
  readonly distance: number
}

/** Whether documents may be left out. */
export const isFiltered = ({ exclude, filter }: Query) =>
  exclude !== undefined || filter !== undefined
