import { LRUCache } from 'lru-cache'
import { enlarged } from './kernels.ts'

/** Each takes a bit for every vector; `bytesOf` in vector-room.ts counts them. */
export const maxMasks = 128
/** A mask remains useful for at least this many changes, however little it keeps. */
const minChanges = 64
/** So many changes are noted while it is looked up what the filter keeps. */
const maxUnfilled = 10_000

/**
 * The slots that a filter keeps, as bits. Slots that change later are included until the mask is
 * made anew, since the filter may keep them: the database says whether it does.
 */
export class Mask {
  #bits = new Uint32Array(0)
  #size = 0
  #kept = 0
  #changes = 0
  /** Slots that may not be kept. */
  readonly #unsure = new Set<number>()
  /** Up to which the filter may have seen changes; undefined until it is known what it keeps. */
  revision: number | undefined

  /**
   * @param slots what the database has found since this mask was made
   * @param revision earlier vectors do not fit these slots
   */
  fill(slots: readonly number[], revision: number): void {
    for (const slot of slots) this.add(slot)
    this.#kept = slots.length
    this.revision = revision
  }

  add(slot: number): void {
    const word = slot >> 5
    if (word >= this.#bits.length) this.#bits = enlarged(this.#bits, word + 1, Uint32Array, 32)
    const bit = 1 << (slot & 31)
    if (((this.#bits[word] ?? 0) & bit) !== 0) return
    this.#bits[word] = (this.#bits[word] ?? 0) | bit
    this.#size += 1
  }

  /** Marks a slot with a new vector, which the filter may keep. */
  change(slot: number): void {
    this.add(slot)
    this.#unsure.add(slot)
    this.#changes += 1
  }

  /** Unmarks a slot that is empty now. */
  clear(slot: number): void {
    const word = this.#bits[slot >> 5] ?? 0
    const bit = 1 << (slot & 31)
    if ((word & bit) === 0) return
    this.#bits[slot >> 5] = word & ~bit
    this.#size -= 1
  }

  /** Whether so many slots have changed that it should be made anew. */
  get isWorn(): boolean {
    const most = this.revision === undefined ? maxUnfilled : Math.max(minChanges, this.#kept / 4)
    return this.#changes > most
  }

  /** Whether the filter is known to keep a slot of the mask. */
  isSure(slot: number): boolean {
    return !this.#unsure.has(slot)
  }

  get size(): number {
    return this.#size
  }

  has(slot: number): boolean {
    return (((this.#bits[slot >> 5] ?? 0) >>> (slot & 31)) & 1) === 1
  }

  /** In ascending order. */
  slots(): Int32Array<ArrayBuffer> {
    const slots = new Int32Array(this.#size)
    let count = 0
    for (let at = 0; at < this.#bits.length; at += 1) {
      for (let left = this.#bits[at] ?? 0; left !== 0; left &= left - 1) {
        slots[count] = 32 * at + 31 - Math.clz32(left & -left)
        count += 1
      }
    }
    return slots
  }
}

/** The masks of the filters that were used last, by the keys of these. */
export class Masks {
  readonly #masks = new LRUCache<string, Mask>({ max: maxMasks })

  of(key: string): Mask | undefined {
    return this.#masks.get(key)
  }

  /** Begins a mask that includes all later changes. What the filter keeps now follows. */
  begin(key: string): void {
    this.#masks.set(key, new Mask())
  }

  /** Those that have taken in too many changes are dropped, since each change takes memory. */
  change(change: (mask: Mask) => void): void {
    if (this.#masks.size === 0) return
    for (const [key, mask] of [...this.#masks.entries()]) {
      change(mask)
      if (mask.isWorn) this.#masks.delete(key)
    }
  }
}
