import { unprocessable } from '../errors.ts'

/** Up to which size all vectors of a project are compared with all. */
export interface NeighbourLimits {
  /** Vectors × dimensions, each 4 bytes of memory. */
  readonly components: number
  /** Comparisons grow with its square. */
  readonly vectors: number
}

/** 160 MB, such as 104,000 vectors of 384 dimensions, of which one core compares all in some three minutes. */
export const neighbourLimits: NeighbourLimits = { components: 40_000_000, vectors: 200_000 }

export const isTooLarge = (
  { vectors, dimensions }: { readonly vectors: number; readonly dimensions: number },
  limits: NeighbourLimits,
) => vectors > limits.vectors || vectors * dimensions > limits.components

export const tooLargeToCompare = ({ components, vectors }: NeighbourLimits, why = '') =>
  unprocessable(
    `All embeddings are compared with all up to ${components} components (embeddings × dimensions) and ${vectors} embeddings${why}; ask for fewer with a filter`,
  )
