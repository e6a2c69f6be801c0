/** A collection as it was found in the database. */
export interface CollectionState {
  readonly collectionId: number
  readonly dimensions: number
  readonly vectors: number
  /** Counts the changes of its embeddings. */
  readonly revision: number
}

/** A stored embedding by its text_id, or a vector. */
export type QueryVector = { readonly textId: string } | { readonly vector: Float32Array }

/** Which embeddings are asked for. */
export interface CandidateRequest {
  readonly query: QueryVector
  readonly count: number
  /** Whether all vectors must be compared in full. */
  readonly exact: boolean
}

/** Embeddings among which the nearest are: the database decides, since it has what is committed. */
export interface Candidates {
  readonly textIds: readonly string[]
  /** Every embedding that is at least so similar is among them; -1 when all are. */
  readonly completeDownTo: number
  /** Whether all vectors were compared in full. */
  readonly isExact: boolean
}

/** A committed change of a collection's embeddings. */
export interface Change {
  readonly collectionId: number
  /** The collection's revision since then. */
  readonly revision: number
  readonly removed: readonly string[]
  readonly added: readonly { readonly textId: string; readonly vector: Float32Array }[]
}
