/** Cosine similarities in float32 arithmetic count as equal if they differ by less than this. */
const roundingNoise = 1e-6

/** The smallest similarity that reaches a threshold. */
export const minSimilarity = (threshold: number) => threshold - roundingNoise

/** Largest distance of a result, in the terms of `cosineDistance` in src/db/pgvector.ts. */
export const maxDistance = ({ threshold }: { readonly threshold: number }) =>
  1 - threshold + roundingNoise

/** Whether a distance is at most `furthest`, apart from rounding. */
export const isWithin = (distance: number, furthest: number) => distance <= furthest + roundingNoise

export const distanceAt = (similarity: number) => 1 - similarity

/**
 * Cosine similarity, 0 to 1. Only rounding exceeds this range: opposite vectors are never results.
 */
export const similarityAt = (distance: number) => Math.min(1, Math.max(0, 1 - distance))
