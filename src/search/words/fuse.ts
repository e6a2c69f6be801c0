import { orderOfEqual, type Result } from '../ranking.ts'

/** How much the sides of a search by a vector and words count. */
export interface Weights {
  readonly vector: number
  readonly words: number
}

/** How far down both rankings are fused. It is always the same, so that pages have no gaps. */
export const fusedDepth = 100

/** Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion, SIGIR 2009. */
const k = 60

/**
 * Fuses two rankings by the ranks in them. Each result has the score of the fusion and its ranks,
 * from 1.
 */
export function fuse(
  byVector: readonly Result[],
  byWords: readonly Result[],
  weights: Weights,
): Result[] {
  const fused = new Map<string, Result & { readonly score: number }>()
  for (const [place, result] of byVector.entries()) {
    const rank = place + 1
    fused.set(keyOf(result), { ...result, score: weights.vector / (k + rank), vectorRank: rank })
  }
  for (const [place, result] of byWords.entries()) {
    const rank = place + 1
    const other = fused.get(keyOf(result))
    const score = (other?.score ?? 0) + weights.words / (k + rank)
    fused.set(keyOf(result), { ...result, ...other, score, wordsRank: rank })
  }
  return [...fused.values()].sort((a, b) => b.score - a.score || orderOfEqual(a, b))
}

const keyOf = ({ project = 0, id }: Result) => `${project} ${id}`
