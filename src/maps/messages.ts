/**
 * One after another: how long the vectors are, with a sample of them where they are to get fewer dimensions;
 * all vectors, as `receivedVector` takes them; and for as long as there is no map, to go on with it.
 */
export type MapRequest =
  | { readonly dimensions: number; readonly sample: readonly string[] | undefined }
  | { readonly vectors: readonly string[] }
  | 'compute'

/** How far it is, 0 to 1, or x and y of each vector. */
export type MapReply = number | { readonly places: Float32Array<ArrayBuffer> }
