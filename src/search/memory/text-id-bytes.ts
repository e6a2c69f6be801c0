import { getRandomValues } from 'node:crypto'
import type { ArrayReader, ArrayWriter, NumberArray } from './files/array-file.ts'
import { enlarged } from './kernels.ts'
import { keyedHash } from './keyed-hash.ts'

/** The longest text_id takes less. */
const usualSought = 1_024
const free = -1

/**
 * The text_ids of slots, in UTF-8, one behind the other in one array: a million strings would take four times the
 * memory, and half a second to read from a file.
 */
export class TextIdBytes {
  /** `#unused` of the first `#end` bytes are of text_ids that are gone. */
  #text = Buffer.alloc(0)
  #end = 0
  #unused = 0
  /** By slot, where its text_id begins, and how many bytes it has. */
  #begins = new Float64Array(0)
  #lengths = new Int32Array(0)
  /** The text_id that is sought, and how many bytes it has. It lies apart: to look one up changes nothing. */
  #sought = Buffer.alloc(usualSought)
  #soughtBytes = 0
  /** Of the hash: else somebody could choose text_ids with the same one. */
  readonly #key = getRandomValues(new Int32Array(2))

  /** How many bytes all text_ids have. */
  get size(): number {
    return this.#end - this.#unused
  }

  isUsed(slot: number): boolean {
    return slot < this.#lengths.length && this.#lengths[slot] !== free
  }

  of(slot: number): string {
    const [begin, end] = this.#rangeOf(slot)
    return this.#text.toString('utf8', begin, end)
  }

  hashOf(slot: number): number {
    const [begin, end] = this.#rangeOf(slot)
    return keyedHash(this.#key, this.#text, begin, end - begin)
  }

  compare(one: number, other: number): number {
    return this.#text.compare(this.#text, ...this.#rangeOf(other), ...this.#rangeOf(one))
  }

  /** Which text_id `isSought` and `keepFor` mean from now on. @returns its hash */
  seek(textId: string): number {
    const bytes = Buffer.byteLength(textId)
    if (bytes > this.#sought.length) this.#sought = Buffer.alloc(bytes)
    this.#soughtBytes = this.#sought.write(textId)
    return keyedHash(this.#key, this.#sought, 0, bytes)
  }

  /** Whether a slot has it. Most text_ids that differ do so at their ends. */
  isSought(slot: number): boolean {
    if (this.#lengths[slot] !== this.#soughtBytes) return false
    const [text, sought, begin] = [this.#text, this.#sought, this.#begins[slot] ?? 0]
    let at = this.#soughtBytes - 1
    while (at >= 0 && text[begin + at] === sought[at]) at -= 1
    return at < 0
  }

  /** Gives it to a slot that has none. */
  keepFor(slot: number): void {
    if (slot >= this.#lengths.length) {
      this.#begins = enlarged(this.#begins, slot + 1, Float64Array)
      this.#lengths = enlarged(this.#lengths, slot + 1, Int32Array).fill(free, slot)
    }
    this.#reserve(this.#soughtBytes)
    this.#begins[slot] = this.#end
    this.#lengths[slot] = this.#soughtBytes
    this.#end += this.#sought.copy(this.#text, this.#end, 0, this.#soughtBytes)
  }

  drop(slot: number): void {
    this.#unused += this.#lengths[slot] ?? 0
    this.#lengths[slot] = free
  }

  /** @param slots how many there are */
  async write(file: ArrayWriter, slots: number): Promise<void> {
    await file.putJson({ end: this.#end, unused: this.#unused })
    for (const array of this.#arrays(slots)) await file.put(array)
  }

  /** Reads what `write` has written of so many slots. */
  async read(file: ArrayReader, slots: number): Promise<void> {
    const { end, unused }: { readonly end: number; readonly unused: number } = await file.json()
    this.#end = end
    this.#unused = unused
    this.#text = Buffer.alloc(end)
    this.#begins = new Float64Array(slots)
    this.#lengths = new Int32Array(slots)
    for (const array of this.#arrays(slots)) await file.into(array)
  }

  #arrays(slots: number): readonly NumberArray[] {
    const [begins, lengths] = [this.#begins.subarray(0, slots), this.#lengths.subarray(0, slots)]
    return [this.#key, this.#text.subarray(0, this.#end), begins, lengths]
  }

  #rangeOf(slot: number): [begin: number, end: number] {
    const begin = this.#begins[slot] ?? 0
    return [begin, begin + Math.max(0, this.#lengths[slot] ?? 0)]
  }

  /** Makes room at the end, if need be in the place of what is gone. @throws RangeError if there is no memory */
  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#text.length) return
    const isWorn = 2 * this.#unused > this.#end
    const needed = (isWorn ? this.size : this.#end) + bytes
    const text = Buffer.alloc(Math.max(Math.ceil(1.5 * needed), 1_024))
    if (isWorn) this.#end = this.#copyUsed(text)
    else this.#text.copy(text, 0, 0, this.#end)
    if (isWorn) this.#unused = 0
    this.#text = text
  }

  /** @returns how many bytes that took */
  #copyUsed(text: Buffer): number {
    let end = 0
    for (let slot = 0; slot < this.#lengths.length; slot += 1) {
      if (!this.isUsed(slot)) continue
      const range = this.#rangeOf(slot)
      this.#begins[slot] = end
      end += this.#text.copy(text, end, ...range)
    }
    return end
  }
}
