/** A collection, in the state found in the database. */
export interface CollectionState {
  readonly collectionId: number
  readonly dimensions: number
  readonly vectors: number
  /** Counts the changes of its embeddings. */
  readonly revision: number
  /** In another history, the same revision may stand for other embeddings. */
  readonly history: string
}

/** A stored embedding by its text_id, or a vector. */
export type QueryVector = { readonly textId: string } | { readonly vector: Float32Array }

export interface CandidateRequest {
  readonly query: QueryVector
  readonly count: number
  /** Whether all vectors must be compared in full. */
  readonly exact: boolean
  /** Required recall@10; undefined for the default. */
  readonly minRecall?: number | undefined
  /** The key of a filter's mask. Only embeddings in the mask are candidates. */
  readonly mask: string | undefined
}

/**
 * Embeddings that include the nearest. The database ranks them, because it has the committed data.
 */
export interface Candidates {
  readonly textIds: readonly string[]
  /** All embeddings at least this similar are included; -1 if all are, or all in the mask. */
  readonly completeDownTo: number
  /** Whether all vectors were compared in full. */
  readonly isExact: boolean
}

/** A filter, in the form that the cache needs. */
export interface Matches {
  /** Equal for filters that keep the same. */
  readonly key: string
  /** The text_ids of everything that it keeps, as a JSON array. */
  readonly find: () => Promise<string>
}

/**
 * Why there are no candidates: not cached, changes after a revision or the mask are missing, or the
 * cache cannot tell.
 */
export type Unknown = 'gone' | { readonly knownTo: number } | 'no mask' | 'none'
