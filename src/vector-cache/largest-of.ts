/** Keeps the largest of many numbers, each with a key: a binary heap, the least of them at its root. */
export class LargestOf {
  readonly #values: Float64Array
  readonly #keys: Int32Array
  #size = 0
  /** What a number must exceed to be kept. */
  least = Number.NEGATIVE_INFINITY

  constructor(count: number) {
    this.#values = new Float64Array(count)
    this.#keys = new Int32Array(count)
  }

  get isFull(): boolean {
    return this.#size === this.#values.length
  }

  /** Of the numbers that are kept, in no particular order. */
  keys(): Int32Array {
    return this.#keys.slice(0, this.#size)
  }

  /** @param value larger than `least` */
  add(value: number, key: number): void {
    if (this.isFull) this.#siftDown(value, key)
    else this.#siftUp(value, key)
    if (this.isFull) this.least = this.#values[0] ?? this.least
  }

  #siftUp(value: number, key: number): void {
    const [values, keys] = [this.#values, this.#keys]
    let at = this.#size
    this.#size += 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = values[parent] ?? 0
      if (above <= value) break
      values[at] = above
      keys[at] = keys[parent] ?? 0
      at = parent
    }
    values[at] = value
    keys[at] = key
  }

  #siftDown(value: number, key: number): void {
    const [values, keys, size] = [this.#values, this.#keys, this.#size]
    let at = 0
    for (let child = 1; child < size; child = 2 * at + 1) {
      let below = values[child] ?? 0
      const other = child + 1 < size ? (values[child + 1] ?? 0) : Number.POSITIVE_INFINITY
      if (other < below) {
        child += 1
        below = other
      }
      if (below >= value) break
      values[at] = below
      keys[at] = keys[child] ?? 0
      at = child
    }
    values[at] = value
    keys[at] = key
  }
}
