/** A collection as it was found in the database. */
export interface Wanted {
  readonly collectionId: number
  readonly dimensions: number
  readonly vectors: number
  /** Counts the changes of its embeddings. */
  readonly revision: number
}

/** A stored embedding by its text_id, or a vector. */
export type Sought = { readonly textId: string } | { readonly vector: Float32Array }

export interface Proposals {
  readonly textIds: string[]
  /** Every embedding that is at least so similar is among them; -1 when all are. */
  readonly completeDownTo: number
  /** Whether all vectors were compared; otherwise so many that recall@10 stays above 0.99. */
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

/** Says quickly which embeddings may be the nearest. The database decides: it has what is committed. */
export interface Proposer {
  /**
   * At least `count` embeddings (or all there are), with those that may be as similar as the last of them.
   * @param exact whether all vectors must be compared
   * @returns undefined when nothing can be told: then the database compares all
   */
  propose(
    wanted: Wanted,
    sought: Sought,
    count: number,
    exact: boolean,
  ): Promise<Proposals | undefined>
  /** To be told of each change when it is committed. */
  changed(change: Change): void
}
