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
    let at = this.#size
    this.#size += 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if ((this.#values[parent] ?? 0) <= value) break
      this.#move(parent, at)
      at = parent
    }
    this.#put(at, value, key)
  }

  #siftDown(value: number, key: number): void {
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= this.#size) break
      const [left = 0, right = 0] = [this.#values[child], this.#values[child + 1]]
      if (child + 1 < this.#size && right < left) child += 1
      if ((this.#values[child] ?? 0) >= value) break
      this.#move(child, at)
      at = child
    }
    this.#put(at, value, key)
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#values[from] ?? 0, this.#keys[from] ?? 0)
  }

  #put(at: number, value: number, key: number): void {
    this.#values[at] = value
    this.#keys[at] = key
  }
}
