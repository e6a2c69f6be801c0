import { isWithin } from '../../vectors/distance.ts'

/** A stored vector, by its text_id, at a cosine distance. */
export type NeighbourDistance = readonly [textId: string, distance: number]

/** Of recall@10. */
export const neighbours = 10

const byDistance = ([, a]: NeighbourDistance, [, b]: NeighbourDistance) => a - b

/** The ten nearest of one sampled vector, as far as they are known. */
export class NearestNeighbours {
  #known = new Map<string, number>()
  #furthest = Number.POSITIVE_INFINITY

  add(found: readonly NeighbourDistance[]): void {
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
  foundIn(inOrderOfIndex: readonly NeighbourDistance[], candidates: number): number {
    const ranked = inOrderOfIndex.slice(0, candidates).toSorted(byDistance).slice(0, neighbours)
    return ranked.filter(([, distance]) => isWithin(distance, this.#furthest)).length
  }
}
