/** A collection as it was found in the database. */
export interface CollectionState {
  readonly collectionId: number
  readonly dimensions: number
  readonly vectors: number
  /** Counts the changes of its embeddings. */
  readonly revision: number
  /** Of another history the same revisions are of other embeddings. */
  readonly history: string
}

/** A stored embedding by its text_id, or a vector. */
export type QueryVector = { readonly textId: string } | { readonly vector: Float32Array }

/** Which embeddings are asked for. */
export interface CandidateRequest {
  readonly query: QueryVector
  readonly count: number
  /** Whether all vectors must be compared in full. */
  readonly exact: boolean
  /** The key of the mask of what a filter keeps: only of these the nearest are asked for. */
  readonly mask: string | undefined
}

/** Embeddings among which the nearest are: the database decides, since it has what is committed. */
export interface Candidates {
  readonly textIds: readonly string[]
  /** Every embedding that is at least so similar is among them; -1 when all are that a mask leaves. */
  readonly completeDownTo: number
  /** Whether all vectors were compared in full. */
  readonly isExact: boolean
}

/** A filter as the cache knows it. */
export interface Matches {
  /** Equal for filters that keep the same. */
  readonly key: string
  /** The text_ids of all that it keeps, as a list in JSON. */
  readonly find: () => Promise<string>
}

/** Why there are no candidates: not cached, a change or the mask is missing, or nothing can be told. */
export type Unknown = 'gone' | Behind | 'no mask' | 'none'

/** What was committed after this revision is missing. */
export interface Behind {
  readonly knownTo: number
}

/** A committed change of a collection's embeddings. */
export interface Change {
  readonly collectionId: number
  /** The collection's revision before, and since then: it may be several changes in one. */
  readonly after: number
  readonly revision: number
  /** Before others are added, which may have the same text_ids. */
  readonly removed: readonly string[]
  readonly added: readonly { readonly textId: string; readonly vector: Float32Array }[]
}
