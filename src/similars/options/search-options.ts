import type { TextIds } from '../../embeddings/text-ids.ts'
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
  /** Only those are results for which it holds. */
  readonly filter: Filter | undefined
  /** Compare every vector, also where there is an index. */
  readonly exact: boolean
  /** Recall@10 that is asked of an index; undefined for the usual one. */
  readonly minRecall: number | undefined
  /** Whether a stored embedding that is searched for may be a result. */
  readonly includeSelf: boolean
  /** Then limit and offset count groups. */
  readonly grouping: Grouping | undefined
  /** Whether all that are similar are counted. */
  readonly totals: boolean
}

/** What is searched for: a stored embedding, by the first text_id that exists, or a vector. */
export type SearchedFor = { readonly textIds: TextIds } | { readonly vector: GivenVector }
