/** One after another: how many vectors are to come, all of them as `receivedVector` takes them, and to make the map. */
export type MapRequest = VectorsToCome | { readonly vectors: readonly string[] } | 'compute'

export interface VectorsToCome {
  /** As many as there were when they were counted. */
  readonly rows: number
  readonly dimensions: number
  /** Vectors that are longer are shortened to this. */
  readonly keptDimensions: number
  /** Where the thread says how far the map is, from 0 to `progressSteps`. */
  readonly progress: Int32Array<SharedArrayBuffer>
}

/** x and y of each vector once the map is made. */
export type MapReply = { readonly places: Float32Array<ArrayBuffer> } | undefined
