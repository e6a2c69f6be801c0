/** The first few of many numbered things in an order: a binary heap with the last of them at its root. */
export class Top {
  readonly #isBefore: (one: number, other: number) => boolean
  readonly #heap: Uint32Array
  #size = 0

  constructor(most: number, isBefore: (one: number, other: number) => boolean) {
    this.#isBefore = isBefore
    this.#heap = new Uint32Array(most)
  }

  add(item: number): void {
    if (this.#size < this.#heap.length) {
      this.#rise(item, this.#size)
      this.#size += 1
    } else if (this.#isBefore(item, this.#heap[0] ?? 0)) this.#sink(item)
  }

  /** In their order. */
  all(): Uint32Array {
    return this.#heap.slice(0, this.#size).sort((a, b) => (this.#isBefore(a, b) ? -1 : 1))
  }

  #rise(item: number, from: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = this.#heap[parent] ?? 0
      if (!this.#isBefore(above, item)) break
      this.#heap[at] = above
      at = parent
    }
    this.#heap[at] = item
  }

  /** Takes the place of the root. */
  #sink(item: number): void {
    let at = 0
    for (let left = 1; left < this.#size; left = 2 * at + 1) {
      const below = this.#laterOf(left, left + 1)
      const other = this.#heap[below] ?? 0
      if (this.#isBefore(other, item)) break
      this.#heap[at] = other
      at = below
    }
    this.#heap[at] = item
  }

  #laterOf(left: number, right: number): number {
    if (right >= this.#size) return left
    return this.#isBefore(this.#heap[left] ?? 0, this.#heap[right] ?? 0) ? right : left
  }
}
