/**
 * In this order: how many vectors to expect, the vectors in the form that `receivedVector` reads,
 * and the request for the map.
 */
export type MapRequest = VectorsToCome | { readonly vectors: readonly string[] } | 'compute'

export interface VectorsToCome {
  /** The number of vectors when they were counted. */
  readonly rows: number
  readonly dimensions: number
  /** Longer vectors are shortened to this. */
  readonly keptDimensions: number
  /** Where the thread stores its progress, from 0 to `progressSteps`. */
  readonly progress: Int32Array<SharedArrayBuffer>
}

/** x and y of each vector, once the map is computed. */
export type MapReply = { readonly places: Float32Array<ArrayBuffer> } | undefined
