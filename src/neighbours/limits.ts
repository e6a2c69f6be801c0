import { availableParallelism } from 'node:os'
import { unprocessable } from '../errors.ts'

/** Up to which size all vectors of a project are compared with all. */
export interface NeighbourLimits {
  /** Vectors × dimensions, each 4 bytes of memory. */
  readonly components: number
  /** Comparisons grow with its square. */
  readonly vectors: number
  /** Vectors × vectors × dimensions of a request that waits for no larger one: a second or less. */
  readonly small: number
  /** Larger ones, each of which takes a processor for as long as it lasts. */
  readonly atOnce: number
}

/** 160 MB, such as 104,000 vectors of 384 dimensions, of which one core compares all in some three minutes. */
export const neighbourLimits: NeighbourLimits = {
  components: 40_000_000,
  vectors: 200_000,
  small: 10_000_000_000,
  atOnce: Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2))),
}

interface Size {
  readonly vectors: number
  readonly dimensions: number
}

export const isTooLarge = ({ vectors, dimensions }: Size, limits: NeighbourLimits) =>
  vectors > limits.vectors || vectors * dimensions > limits.components

export const isSmall = ({ vectors, dimensions }: Size, { small }: NeighbourLimits) =>
  vectors * vectors * dimensions <= small

export const tooLargeToCompare = ({ components, vectors }: NeighbourLimits, why = '') =>
  unprocessable(
    `All embeddings are compared with all up to ${components} components (embeddings × dimensions) and ${vectors} embeddings${why}; ask for fewer with a filter`,
  )
