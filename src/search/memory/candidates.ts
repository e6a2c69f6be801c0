/** A stored embedding by its text_id, or a vector. */
export type QueryVector = { readonly textId: string } | { readonly vector: Float32Array }

export interface NearestRequest {
  readonly query: QueryVector
  readonly count: number
  /** If given, all that are at most so far are counted, and only those found whose filter is unsure. */
  readonly within?: number | undefined
  /** Whether all vectors must be compared. */
  readonly exact: boolean
  /** Required recall@10; undefined for the default. */
  readonly minRecall?: number | undefined
  /** Stored embeddings that are left out. */
  readonly without?: readonly string[] | undefined
  /** The key of a filter's mask. Only embeddings in the mask are found. */
  readonly mask?: string | undefined
}

/** The nearest embeddings, nearest first, ties by text_id; fewer than asked for if there are no more. */
export interface NearestStored {
  readonly textIds: readonly string[]
  /** Cosine distances. */
  readonly distances: readonly number[]
  /** The places of those that have changed since the mask was made: the filter may not keep them. */
  readonly unsure: readonly number[]
  /** How many others are `within` the distance that was given. */
  readonly counted?: number | undefined
  /** Whether all vectors were compared. */
  readonly isExact: boolean
  /** The revision of the collection that they are of. */
  readonly revision: number
}

/** What a filter keeps. */
export interface FilterMatches {
  /** A JSON array. */
  readonly textIds: string
  /** A revision of the collection, at least that of every change which was seen. */
  readonly revision: number
}

/** A filter, in the form that the cache needs. */
export interface Matches {
  /** Equal for filters that keep the same. */
  readonly key: string
  /** Finds everything that it keeps. */
  readonly find: () => Promise<FilterMatches>
}

/**
 * Why nothing is found: not cached, changes after a revision or the mask are missing, or the
 * cache cannot tell.
 */
export type Unknown = 'gone' | { readonly knownTo: number } | 'no mask' | 'none'
