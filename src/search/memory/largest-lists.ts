/**
 * Keeps the largest of many numbers, each with a key, in one or more lists; of equal numbers those
 * with the lowest keys. Each list is a binary heap with the least number at its root. The heaps
 * share arrays, one after another.
 */
export class LargestLists<Values extends Float64Array | Int32Array> {
  readonly #length: number
  readonly #values: Values
  readonly #keys: Int32Array
  readonly #sizes: Int32Array

  /** @param length how many numbers each list keeps */
  constructor(lists: number, length: number, Numbers: new (length: number) => Values) {
    this.#length = length
    this.#values = new Numbers(lists * length)
    this.#keys = new Int32Array(lists * length)
    this.#sizes = new Int32Array(lists)
  }

  /**
   * @returns the least number of a full list, which another must reach to be kept; else -Infinity
   */
  add(list: number, value: number, key: number): number {
    const size = this.#sizes[list] ?? 0
    const root = list * this.#length
    if (size === this.#length) this.#replaceRoot(root, value, key)
    else {
      this.#siftUp(root, size, value, key)
      this.#sizes[list] = size + 1
      if (size + 1 < this.#length) return Number.NEGATIVE_INFINITY
    }
    return this.#values[root] ?? 0
  }

  /** In no particular order. */
  keysOf(list: number): Int32Array {
    const root = list * this.#length
    return this.#keys.slice(root, root + (this.#sizes[list] ?? 0))
  }

  /** The largest first. */
  sorted(list: number): { readonly keys: Int32Array; readonly values: Float64Array } {
    const [values, keys, root] = [this.#values, this.#keys, list * this.#length]
    const places = Int32Array.from({ length: this.#sizes[list] ?? 0 }, (_, place) => root + place)
    places.sort((a, b) =>
      isLarger(values[a] ?? 0, keys[a] ?? 0, values[b] ?? 0, keys[b] ?? 0) ? -1 : 1,
    )
    return {
      keys: places.map((place) => keys[place] ?? 0),
      values: Float64Array.from(places, (place) => values[place] ?? 0),
    }
  }

  #siftUp(root: number, size: number, value: number, key: number): void {
    const [values, keys] = [this.#values, this.#keys]
    let at = size
    while (at > 0) {
      const parent = (at - 1) >> 1
      const [above, its] = [values[root + parent] ?? 0, keys[root + parent] ?? 0]
      if (!isLarger(above, its, value, key)) break
      values[root + at] = above
      keys[root + at] = its
      at = parent
    }
    values[root + at] = value
    keys[root + at] = key
  }

  #replaceRoot(root: number, value: number, key: number): void {
    const [values, keys, size] = [this.#values, this.#keys, this.#length]
    if (!isLarger(value, key, values[root] ?? 0, keys[root] ?? 0)) return
    let at = 0
    for (let child = 1; child < size; child = 2 * at + 1) {
      const left = root + child
      const isRight =
        child + 1 < size &&
        isLarger(values[left] ?? 0, keys[left] ?? 0, values[left + 1] ?? 0, keys[left + 1] ?? 0)
      const below = isRight ? left + 1 : left
      if (!isLarger(value, key, values[below] ?? 0, keys[below] ?? 0)) break
      values[root + at] = values[below] ?? 0
      keys[root + at] = keys[below] ?? 0
      at = below - root
    }
    values[root + at] = value
    keys[root + at] = key
  }
}

const isLarger = (value: number, key: number, than: number, itsKey: number): boolean =>
  value > than || (value === than && key < itsKey)
