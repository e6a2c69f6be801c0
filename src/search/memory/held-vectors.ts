import { HeldProject, type Reads, type ToHold } from '../held/held-project.ts'
import type { SimilarityScale } from './scale.ts'

/** How many text_ids there are, and their bytes in UTF-8. */
export interface IdSizes {
  count: number
  bytes: number
}

/** The vectors of one project in the cache thread, and how far they have been read. */
export class HeldVectors extends HeldProject {
  readonly dimensions: number
  /** How many there are, as last heard. */
  vectors: number
  /** The thread is known to have no later revision. */
  knownTo = 0
  /** How long they took to read, in milliseconds. */
  readMs = 0
  /**
   * How many text_ids were read or added, and their bytes. Deleted ones count too: for a removed id
   * it is unknown whether it was there.
   */
  ids: IdSizes = { count: 0, bytes: 0 }
  /** How similar they are, once that was asked. */
  scale: Promise<SimilarityScale | undefined> | undefined
  /** When they last changed here, and when their file was written or read, in `performance.now()`. */
  changedAt = performance.now()
  writtenAt = Number.NEGATIVE_INFINITY
  /** Before this, they are not written again. */
  writeAfter = 0

  constructor(toHold: ToHold & { readonly dimensions: number }, reads: Reads) {
    super(toHold, reads)
    this.dimensions = toHold.dimensions
    this.vectors = toHold.vectors
  }

  countIds(textIds: readonly string[]): void {
    for (const textId of textIds) this.ids.bytes += Buffer.byteLength(textId)
    this.ids.count += textIds.length
  }
}
