import type { VectorRows } from './nearest.ts'
import { queryOf } from './quantized-rows.ts'

/** Results to choose from, the most similar first. */
export interface ToDiversify {
  readonly textIds: readonly string[]
  readonly similarities: readonly number[]
  /** How many to choose. */
  readonly limit: number
  /** From 0, only the most similar, to 1, only those unlike the chosen ones. */
  readonly diversity: number
}

/** The places of what was chosen, in this order. */
export interface Diversified {
  readonly places: readonly number[]
  /** Of the vectors that were compared. */
  readonly revision: number
}

/**
 * Maximal marginal relevance (Carbonell and Goldstein 1998): next is always the result with the
 * largest (1 − diversity) × similarity − diversity × its largest similarity to a chosen one, by
 * 8 bits per component.
 * @param slotOf undefined for a text that is not there any more, which is like no other
 * @param pause lets the thread do other work
 */
export async function diversify(
  { bytes, floats }: VectorRows,
  { textIds, similarities, limit, diversity }: ToDiversify,
  slotOf: (textId: string) => number | undefined,
  pause: () => Promise<void>,
): Promise<number[]> {
  const left = new Set(textIds.keys())
  const slotAt = new Map<number, number>()
  for (const [place, textId] of textIds.entries()) {
    const slot = slotOf(textId)
    if (slot !== undefined) slotAt.set(place, slot)
  }
  const known = [...slotAt.keys()]
  const slots = Int32Array.from(slotAt.values())
  const likeChosen = new Float64Array(textIds.length)
  const chosen: number[] = []
  while (chosen.length < limit && left.size > 0) {
    let [best, most] = [-1, Number.NEGATIVE_INFINITY]
    for (const place of left) {
      const relevance = (1 - diversity) * (similarities[place] ?? 0)
      const score = relevance - diversity * (likeChosen[place] ?? 0)
      if (score > most) [best, most] = [place, score]
    }
    chosen.push(best)
    left.delete(best)
    const slot = slotAt.get(best)
    if (slot === undefined) continue
    const likeBest = bytes.similarities(queryOf(floats.of(slot).components), slots)
    for (const [at, place] of known.entries()) {
      likeChosen[place] = Math.max(likeChosen[place] ?? 0, likeBest[at] || 0)
    }
    await pause()
  }
  return chosen
}
