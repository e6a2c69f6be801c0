import { unprocessable } from '../errors.ts'

/** Up to which size a project has a map. */
export interface MapLimits {
  readonly texts: number
  /** Vectors × dimensions that are in memory, 4 bytes each; where they are more, vectors are shortened. */
  readonly components: number
  /** A small project has its map within that, and nobody has to ask twice. */
  readonly waitMs: number
  /** Up to so many texts a map waits for no larger one: it takes some seconds. */
  readonly smallTexts: number
}

/** In which the thread that computes a map counts how far it is. */
export const progressSteps = 1_000_000

/** 307 MB of vectors: the library copies them, and takes as much again for neighbours and their graph. */
export const mapLimits: MapLimits = {
  texts: 200_000,
  components: 76_800_000,
  waitMs: 5_000,
  smallTexts: 5_000,
}

export const tooManyForMap = ({ texts }: MapLimits) =>
  unprocessable(`Maps are made of up to ${texts} embeddings, and this project has more`)
