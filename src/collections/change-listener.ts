/** A committed change of a collection's embeddings. */
export interface Change {
  readonly collectionId: number
  /** The revision before the change and the one after it; a change may combine several. */
  readonly after: number
  readonly revision: number
  /** Removed before others are added, which may have the same text_ids. */
  readonly removed: readonly string[]
  readonly added: readonly { readonly textId: string; readonly vector: Float32Array }[]
}

/** Hears of every committed change of embeddings, to keep what it derives from them up to date. */
export interface ChangeListener {
  changed(change: Change): void
  /** Too many embeddings have changed to list them. */
  forget(collectionId: number): void
  /** Collections may have been emptied or discarded. */
  wake(): void
}
