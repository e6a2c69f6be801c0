/** The slots with the largest similarities so far, the nearest first, and which of them were visited. */
export class NearestFirst {
  readonly slots: Int32Array
  readonly similarities: Float32Array
  readonly #visited: Uint8Array
  #limit = 0
  #size = 0
  /** All places before this one were visited. */
  #next = 0

  /** @param most the largest limit of `clear` */
  constructor(most: number) {
    this.slots = new Int32Array(most)
    this.similarities = new Float32Array(most)
    this.#visited = new Uint8Array(most)
  }

  get size(): number {
    return this.#size
  }

  /** @param limit how many are kept from now on */
  clear(limit: number): void {
    this.#limit = limit
    this.#size = 0
    this.#next = 0
  }

  /** A similarity that is NaN is not kept. */
  add(slot: number, similarity: number): void {
    const isFull = this.#size === this.#limit
    const least = isFull ? (this.similarities[this.#size - 1] ?? 0) : Number.NEGATIVE_INFINITY
    if (!(similarity > least)) return
    const place = this.#placeOf(similarity)
    const last = isFull ? this.#size - 1 : this.#size
    this.slots.copyWithin(place + 1, place, last)
    this.similarities.copyWithin(place + 1, place, last)
    this.#visited.copyWithin(place + 1, place, last)
    this.slots[place] = slot
    this.similarities[place] = similarity
    this.#visited[place] = 0
    this.#size = last + 1
    this.#next = Math.min(this.#next, place)
  }

  /** Visits the nearest that was not visited. @returns its slot; -1 if all were */
  visitNext(): number {
    while (this.#next < this.#size && this.#visited[this.#next] === 1) this.#next += 1
    if (this.#next === this.#size) return -1
    this.#visited[this.#next] = 1
    return this.slots[this.#next] ?? -1
  }

  /** The first place whose similarity is smaller. */
  #placeOf(similarity: number): number {
    let first = 0
    let end = this.#size
    while (first < end) {
      const middle = (first + end) >> 1
      if ((this.similarities[middle] ?? 0) >= similarity) first = middle + 1
      else end = middle
    }
    return first
  }
}
