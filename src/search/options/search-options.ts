import type { TextIds } from '../../embeddings/read.ts'
import type { Filter } from '../../filters/filter.ts'
import type { Grouping } from '../statements/group-statements.ts'
import type { Exclusion } from '../statements/metadata-filter.ts'
import type { GivenVector } from './given-vector.ts'

export interface SearchOptions {
  readonly limit: number
  readonly offset: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  readonly exclude: Exclusion | undefined
  /** Results must satisfy it. */
  readonly filter: Filter | undefined
  /** Whether to compare every vector, even if there is an index. */
  readonly exact: boolean
  /** Recall@10 required of an index; undefined for the default. */
  readonly minRecall: number | undefined
  /** Whether the stored embedding that is searched for may be a result itself. */
  readonly includeSelf: boolean
  /** If set, limit and offset count groups. */
  readonly grouping: Grouping | undefined
  /** Whether to count all documents that reach the threshold. */
  readonly totals: boolean
}

/** The query: a vector, or a stored embedding, which is the first text_id that exists. */
export type SearchedFor = { readonly textIds: TextIds } | { readonly vector: GivenVector }
