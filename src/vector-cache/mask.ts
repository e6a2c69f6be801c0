/** As many changes keep a mask from being asked for again, however little it keeps. */
const minChanges = 64

/**
 * The slots of what a filter keeps, as bits. What changes afterwards may be kept, until the mask is asked for
 * again: the database applies the filter to the candidates.
 */
export class Mask {
  #bits = new Uint32Array(0)
  #size = 0
  #kept = 0
  #changes = 0
  #isFilled = false

  /** @param slots of what the database has found since this mask was made */
  fill(slots: readonly number[]): void {
    for (const slot of slots) this.#set(slot)
    this.#kept = slots.length
    this.#isFilled = true
  }

  /** Something else is in this slot, which the filter may keep. */
  change(slot: number): void {
    this.#set(slot)
    this.#changes += 1
  }

  /** There is nothing in this slot any more. */
  clear(slot: number): void {
    const [word, bit] = [this.#bits[slot >> 5] ?? 0, 1 << (slot & 31)]
    if ((word & bit) === 0) return
    this.#bits[slot >> 5] = word & ~bit
    this.#size -= 1
  }

  /** Whether it tells more than it leaves open. */
  get isUseful(): boolean {
    return this.#isFilled && this.#changes <= Math.max(minChanges, this.#kept / 4)
  }

  /** A bit for each slot, as far as there are any. */
  get bits(): Uint32Array {
    return this.#bits
  }

  get size(): number {
    return this.#size
  }

  /** In rising order. */
  slots(): Int32Array<ArrayBuffer> {
    const found = new Int32Array(this.#size)
    let count = 0
    for (const [at, word] of this.#bits.entries()) {
      for (let left = word; left !== 0; left &= left - 1) {
        found[count] = 32 * at + 31 - Math.clz32(left & -left)
        count += 1
      }
    }
    return found
  }

  #set(slot: number): void {
    const word = slot >> 5
    if (word >= this.#bits.length) {
      const larger = new Uint32Array(Math.max(word + 1, Math.ceil(this.#bits.length * 1.5), 32))
      larger.set(this.#bits)
      this.#bits = larger
    }
    const bit = 1 << (slot & 31)
    if (((this.#bits[word] ?? 0) & bit) !== 0) return
    this.#bits[word] = (this.#bits[word] ?? 0) | bit
    this.#size += 1
  }
}
