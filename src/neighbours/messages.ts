import type { FoundNeighbours, PairsOptions } from './all-pairs.ts'

/** A stored embedding as the thread takes it, by its vector alone. */
export interface GivenRow {
  /** As `receivedVector` takes it. */
  readonly vector: string
  /** Rows of equal values are no neighbours of each other; null for a missing one; undefined without such a rule. */
  readonly value: string | null | undefined
}

/** One after another: the options, the rows, from which row on, and then for as long as there are more. */
export type ComparisonRequest =
  | { readonly options: PairsOptions }
  | { readonly rows: readonly GivenRow[] }
  | { readonly startAt: number }
  | { readonly maxRows: number }

export type ComparisonReply = FoundNeighbours | undefined
