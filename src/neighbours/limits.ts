import { availableParallelism } from 'node:os'
import { unprocessable } from '../errors.ts'

/** The project sizes up to which each vector is compared with each. */
export interface NeighbourLimits {
  /** Vectors × dimensions, each 4 bytes of memory. */
  readonly components: number
  /** The number of comparisons grows with the square of this. */
  readonly vectors: number
  /**
   * Vectors × vectors × dimensions up to which a request waits for no larger one: a second's work
   * or less.
   */
  readonly small: number
  /** How many larger requests run at once. Each takes a processor for as long as it lasts. */
  readonly atOnce: number
}

/**
 * 160 MB, for example 104,000 vectors of 384 dimensions, which one core compares in some three
 * minutes.
 */
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
