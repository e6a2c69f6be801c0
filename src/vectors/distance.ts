/** Below this, two cosine similarities in float32 arithmetic are the same. */
const roundingNoise = 1e-6

/** The smallest similarity that reaches a threshold. */
export const minSimilarity = (threshold: number) => threshold - roundingNoise

/** Largest distance of a result, as `cosineDistance` of src/db/pgvector.ts has it. */
export const maxDistance = ({ threshold }: { readonly threshold: number }) =>
  1 - threshold + roundingNoise

/** Whether it is no further away, as far as can be told. */
export const isWithin = (distance: number, furthest: number) => distance <= furthest + roundingNoise

/** Of a similarity, and the similarity of a distance. */
export const distanceAt = (similarity: number) => 1 - similarity

/** Cosine similarity, 0 to 1: only rounding noise is beyond, as vectors in opposite directions are no results. */
export const similarityAt = (distance: number) => Math.min(1, Math.max(0, 1 - distance))
