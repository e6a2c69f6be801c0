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
    if (size < this.#length) {
      this.#append(root, size, value, key)
      this.#sizes[list] = size + 1
      if (size + 1 < this.#length) return Number.NEGATIVE_INFINITY
    } else if (this.#isLarger(value, key, root)) this.#replaceRoot(root, value, key)
    return this.#values[root] ?? 0
  }

  /** In no particular order. */
  keysOf(list: number): Int32Array {
    const root = list * this.#length
    return this.#keys.slice(root, root + (this.#sizes[list] ?? 0))
  }

  /** The largest first. */
  sorted(list: number): { readonly keys: Int32Array; readonly values: Float64Array } {
    const root = list * this.#length
    const places = Int32Array.from({ length: this.#sizes[list] ?? 0 }, (_, place) => root + place)
    places.sort((a, b) => (this.#isLarger(this.#values[a] ?? 0, this.#keys[a] ?? 0, b) ? -1 : 1))
    return {
      keys: places.map((place) => this.#keys[place] ?? 0),
      values: Float64Array.from(places, (place) => this.#values[place] ?? 0),
    }
  }

  #append(root: number, size: number, value: number, key: number): void {
    let at = size
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#isLarger(value, key, root + parent)) break
      this.#put(root + at, this.#values[root + parent] ?? 0, this.#keys[root + parent] ?? 0)
      at = parent
    }
    this.#put(root + at, value, key)
  }

  #replaceRoot(root: number, value: number, key: number): void {
    const end = root + this.#length
    let at = root
    for (let left = root + 1; left < end; left = 2 * at - root + 1) {
      const right = left + 1
      const leftIsLarger =
        right < end && this.#isLarger(this.#values[left] ?? 0, this.#keys[left] ?? 0, right)
      const least = leftIsLarger ? right : left
      if (!this.#isLarger(value, key, least)) break
      this.#put(at, this.#values[least] ?? 0, this.#keys[least] ?? 0)
      at = least
    }
    this.#put(at, value, key)
  }

  #put(place: number, value: number, key: number): void {
    this.#values[place] = value
    this.#keys[place] = key
  }

  /** Whether a number with its key comes before the one in this place. */
  #isLarger(value: number, key: number, place: number): boolean {
    const other = this.#values[place] ?? 0
    return value > other || (value === other && key < (this.#keys[place] ?? 0))
  }
}
