import { isWithin } from '../../distance.ts'

/** The text_id of a stored vector and its cosine distance. */
export type NeighbourDistance = readonly [textId: string, distance: number]

/** Recall@10 is measured. */
export const neighbours = 10

const byDistance = ([, a]: NeighbourDistance, [, b]: NeighbourDistance) => a - b

/** The ten nearest of one probe, as far as they are known. */
export class NearestNeighbours {
  #known = new Map<string, number>()
  #furthest = Number.POSITIVE_INFINITY

  add(found: readonly NeighbourDistance[]): void {
    for (const [textId, distance] of found) this.#known.set(textId, distance)
    const best = [...this.#known].sort(byDistance).slice(0, neighbours)
    this.#known = new Map(best)
    if (best.length === neighbours) this.#furthest = best.at(-1)?.[1] ?? this.#furthest
  }

  /** A vector nearer than this belongs to the ten. */
  get furthest(): number {
    return this.#furthest
  }

  /** How many of the ten a search finds if it ranks its first `candidates` by their distance. */
  foundIn(inOrderOfIndex: readonly NeighbourDistance[], candidates: number): number {
    const ranked = inOrderOfIndex.slice(0, candidates).toSorted(byDistance).slice(0, neighbours)
    return ranked.filter(([, distance]) => isWithin(distance, this.#furthest)).length
  }
}
