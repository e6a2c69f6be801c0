import type { Page } from '../../db/page.ts'
import type { CompiledFilter } from '../../filters/condition.ts'
import type { SearchIndex } from '../index/policy.ts'
import type { CollectionState, QueryVector } from '../memory/candidates.ts'
import type { Exclusion } from './metadata-filter.ts'

/** What is searched for, and among which documents. */
export interface Query {
  readonly collectionId: number
  readonly source: QueryVector
  /** The vector in pgvector's text form; '' for a stored embedding. */
  readonly vectorText: string
  readonly dimensions: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  readonly exclude: Exclusion | undefined
  /** Results must satisfy it. */
  readonly filter: CompiledFilter | undefined
  /** Whether the stored embedding that is searched for may be a result itself. */
  readonly includeSelf: boolean
}

/** A query, with the state of its project at the time of the request. */
export interface Search {
  readonly query: Query
  readonly page: Page
  readonly collection: CollectionState
  /** The index on vectors of the query's dimensions. */
  readonly index: SearchIndex | undefined
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
export const isFiltered = ({ exclude, filter }: Query) =>
  exclude !== undefined || filter !== undefined
