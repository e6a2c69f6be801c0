import { unprocessable } from '../errors.ts'

/** The project sizes up to which there are maps. */
export interface MapLimits {
  readonly texts: number
  /** Vectors × dimensions in memory, 4 bytes each. If there are more, vectors are shortened. */
  readonly components: number
  /**
   * How long a request waits. The map of a small project is done by then, so nobody has to ask
   * twice.
   */
  readonly waitMs: number
  /** Up to this many texts, a map waits for no larger one, since it takes only seconds. */
  readonly smallTexts: number
}

/** The steps in which the computing thread counts its progress. */
export const progressSteps = 1_000_000

/**
 * 307 MB of vectors. The library copies them, and takes as much again for neighbours and their
 * graph.
 */
export const mapLimits: MapLimits = {
  texts: 200_000,
  components: 76_800_000,
  waitMs: 5_000,
  smallTexts: 5_000,
}

export const tooManyForMap = ({ texts }: MapLimits) =>
  unprocessable(`Maps are made of up to ${texts} embeddings, and this project has more`)
