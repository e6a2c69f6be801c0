import { isWithin } from '../vectors/distance.ts'

/** A stored vector, by its text_id, at a cosine distance. */
export type Neighbour = readonly [textId: string, distance: number]

/** Of recall@10. */
export const neighbours = 10

const byDistance = ([, a]: Neighbour, [, b]: Neighbour) => a - b

/** The ten nearest of one sampled vector, as far as they are known. */
export class Nearest {
  #known = new Map<string, number>()
  #furthest = Number.POSITIVE_INFINITY

  add(found: readonly Neighbour[]): void {
    for (const [textId, distance] of found) this.#known.set(textId, distance)
    const best = [...this.#known].sort(byDistance).slice(0, neighbours)
    this.#known = new Map(best)
    if (best.length === neighbours) this.#furthest = best.at(-1)?.[1] ?? this.#furthest
  }

  /** What is nearer than this belongs to the ten instead. */
  get furthest(): number {
    return this.#furthest
  }

  /** How many of the ten a search has found that ranks its first `candidates` by their distance. */
  foundIn(inOrderOfIndex: readonly Neighbour[], candidates: number): number {
    const ranked = inOrderOfIndex.slice(0, candidates).toSorted(byDistance).slice(0, neighbours)
    return ranked.filter(([, distance]) => isWithin(distance, this.#furthest)).length
  }
}
