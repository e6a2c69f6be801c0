import type { FoundNeighbours, PairsOptions } from './all-pairs.ts'

/** A stored embedding, without its text_id, which the thread does not need. */
export interface GivenRow {
  /** In the form that `receivedVector` reads. */
  readonly vector: string
  /**
   * Rows of equal values are not neighbours of each other; null for a missing value, undefined
   * without such a rule.
   */
  readonly value: string | null | undefined
}

/** In this order: the options, the rows, the row to start with, and then requests for results. */
export type ComparisonRequest =
  | { readonly options: PairsOptions }
  | { readonly rows: readonly GivenRow[] }
  | { readonly startAt: number }
  | { readonly maxRows: number }

export type ComparisonReply = FoundNeighbours | undefined
