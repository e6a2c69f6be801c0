import type { CompiledFilter } from '../filters/condition.ts'
import type { Exclusion } from './metadata-filter.ts'

/** Below this, two cosine similarities in float32 arithmetic are the same. */
const roundingNoise = 1e-6

/** What is searched for, and among which documents. */
export interface Query {
  readonly collectionId: number
  /** A stored embedding by its text_id, or a vector in pgvector's text form. */
  readonly source: { readonly textId: string } | { readonly vector: string }
  readonly dimensions: number
  /** Smallest similarity of a result, inclusive. */
  readonly threshold: number
  readonly exclude: Exclusion | undefined
  /** Only those are results for which it holds. */
  readonly filter: CompiledFilter | undefined
  /** Whether the embedding that is searched for may be a result. */
  readonly includeSelf: boolean
}

export interface Candidate {
  readonly id: string
  /** Cosine distance: 0 in the same direction, 1 at right angles, 2 in opposite directions. */
  readonly distance: number
}

/** Whether documents may be left out. */
export const isFiltered = ({ exclude, filter }: Query) =>
  exclude !== undefined || filter !== undefined

/** Largest distance of a result. */
export const maxDistance = ({ threshold }: Query) => 1 - threshold + roundingNoise
