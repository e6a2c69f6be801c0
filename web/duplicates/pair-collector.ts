export interface Pair {
  /** The smaller of the two text_ids. */
  readonly id: string
  readonly neighbour: string
  readonly similarity: number
}

/** A line of the API's answer. */
export interface NeighboursLine {
  readonly id: string
  readonly neighbours: readonly { readonly id: string; readonly similarity: number }[]
}

export const maxPairs = 100_000

/**
 * Collects the pairs of a stream of neighbours, each once, in bounded memory. When it is full, it
 * drops the least similar pairs, so that it always holds every pair above `floor`.
 */
export class PairCollector {
  readonly #max: number
  readonly #maxNeighbours: number
  readonly #pairs = new Map<string, Pair>()
  #floor = 0
  #isFull = false
  #crowded = 0

  /** @param maxNeighbours the number of neighbours requested per text */
  constructor(maxNeighbours: number, max = maxPairs) {
    this.#maxNeighbours = maxNeighbours
    this.#max = max
  }

  get size(): number {
    return this.#pairs.size
  }

  /** Pairs up to this similarity were dropped; 0 if none were. */
  get floor(): number {
    return this.#floor
  }

  /**
   * Whether more pairs share the highest similarity than fit. Which of them were kept is then
   * arbitrary.
   */
  get isFull(): boolean {
    return this.#isFull
  }

  /** The number of texts that reached the requested number of neighbours, and so may have more. */
  get crowded(): number {
    return this.#crowded
  }

  add({ id, neighbours }: NeighboursLine): void {
    if (neighbours.length >= this.#maxNeighbours) this.#crowded += 1
    for (const neighbour of neighbours) {
      if (neighbour.similarity <= this.#floor || neighbour.id === id) continue
      const pair = pairOf(id, neighbour.id, neighbour.similarity)
      const key = JSON.stringify([pair.id, pair.neighbour])
      if (this.#pairs.has(key)) continue
      if (this.#pairs.size >= this.#max) this.#makeRoom()
      if (this.#isFull) return
      if (pair.similarity > this.#floor) this.#pairs.set(key, pair)
    }
  }

  /** Most similar first. */
  sorted(): Pair[] {
    return [...this.#pairs.values()].sort(byRank)
  }

  #makeRoom(): void {
    const similarities = Float64Array.from(this.#pairs.values(), (pair) => pair.similarity).sort()
    const middle = similarities[similarities.length >> 1] ?? 0
    if (similarities.at(-1) === middle) {
      this.#isFull = true
      return
    }
    this.#floor = middle
    for (const [key, { similarity }] of this.#pairs) {
      if (similarity <= middle) this.#pairs.delete(key)
    }
  }
}

const pairOf = (one: string, other: string, similarity: number): Pair =>
  one < other
    ? { id: one, neighbour: other, similarity }
    : { id: other, neighbour: one, similarity }

function byRank(one: Pair, other: Pair): number {
  if (one.similarity !== other.similarity) return other.similarity - one.similarity
  if (one.id !== other.id) return one.id < other.id ? -1 : 1
  return one.neighbour < other.neighbour ? -1 : 1
}
