/** Whole numbers below 2³² that look random, the same for the same seed. Source: Marsaglia, "Xorshift RNGs" (2003). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}
