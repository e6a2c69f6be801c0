/** Orders strings by their UTF-8 bytes. */
export const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Cosine similarity in float64 of two vectors as they are stored (float32). */
export function similarity(a: readonly number[], b: readonly number[]): number {
  let dot = 0
  let squaresOfA = 0
  let squaresOfB = 0
  for (let index = 0; index < a.length; index += 1) {
    const x = Math.fround(a[index] ?? Number.NaN)
    const y = Math.fround(b[index] ?? Number.NaN)
    dot += x * y
    squaresOfA += x * x
    squaresOfB += y * y
  }
  return dot / Math.sqrt(squaresOfA * squaresOfB)
}

interface Stored {
  readonly text_id: string
  readonly vector: readonly number[]
}

/** The most similar first, as comparing everything ranks them. */
export const rankedBy = (vector: readonly number[], stored: readonly Stored[]) =>
  stored
    .map(({ text_id, vector: other }) => ({ id: text_id, similarity: similarity(vector, other) }))
    .sort((a, b) => b.similarity - a.similarity || byBytes(a.id, b.id))
