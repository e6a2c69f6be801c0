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

/** Which embeddings are asked for. */
export interface Wish {
  readonly sought: Sought
  readonly count: number
  /** Whether all vectors must be compared; otherwise so many that recall@10 stays above 0.99. */
  readonly exact: boolean
}

/** The statement by which the database ranks what is proposed. */
export interface RankStatement {
  readonly text: string
  readonly params: readonly unknown[]
  /** Which of the parameters takes the text_ids, as a list in JSON. */
  readonly idsAt: number
}

export interface Ranked {
  /** What the statement answers for the proposed embeddings, column by column. */
  readonly rows: readonly unknown[]
  /** Every embedding that is at least so similar was among them; -1 when all were. */
  readonly completeDownTo: number
  /** Whether all vectors were compared. */
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
   * Ranks at least `count` embeddings (or all there are), with those that may be as similar as the last of them.
   * @returns undefined when nothing can be told: then the database compares all
   */
  rank(wanted: Wanted, wish: Wish, statement: RankStatement): Promise<Ranked | undefined>
  /** Why it tells less than it could, in words for operators. */
  notes(): readonly string[]
  /** To be told of each change when it is committed. */
  changed(change: Change): void
  /** To be told of a committed change of more embeddings than are worth naming: they are read anew. */
  forget(collectionId: number): void
}
