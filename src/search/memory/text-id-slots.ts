import { getRandomValues } from 'node:crypto'
import type { ArrayReader, ArrayWriter, NumberArray } from './files/array-file.ts'
import type { IdSizes } from './held-vectors.ts'
import { enlarged } from './kernels.ts'
import { keyedHash } from './keyed-hash.ts'

/** It was tried with no more. */
export const maxTextIds = 2 ** 24
/** UTF-8 takes no more for a character of a string. */
const bytesOfCharacter = 3
const none = -1

/** What a file says besides the arrays. */
interface AboutTextIds {
  readonly length: number
  readonly size: number
  readonly bytes: number
  readonly unused: number
  readonly free: number
  readonly chains: number
}

/**
 * The slot in which the vector of each text_id is. The text_ids are bytes of one array, in chains by their
 * hashes: a million strings and a `Map` of them would take four times the memory, and a second to read from a file.
 */
export class TextIdSlots {
  /** UTF-8, one text_id behind the other; `#unused` of these bytes are of text_ids that are gone. */
  #text = Buffer.alloc(0)
  #end = 0
  #unused = 0
  /** By slot: where its text_id begins, how many bytes it has, none for a free slot, and which slot is next. */
  #begins = new Float64Array(0)
  #lengths = new Int32Array(0)
  #next = new Int32Array(0)
  /** The first slot of each chain; there are 2ⁿ. */
  #chains = new Int32Array(16).fill(none)
  /** Of the hash: else somebody could choose text_ids that all fall into one chain. */
  readonly #key = getRandomValues(new Int32Array(2))
  #free = none
  #length = 0
  #size = 0
  #all = new Int32Array(0)

  /** How many text_ids there are. */
  get size(): number {
    return this.#size
  }

  /** How many slots there are, with those that are free. */
  get length(): number {
    return this.#length
  }

  get idSizes(): IdSizes {
    return { count: this.#size, bytes: this.#end - this.#unused }
  }

  of(textId: string): number | undefined {
    const bytes = this.#write(textId)
    const slot = this.#find(this.#chainOf(this.#end, bytes), bytes)
    return slot === none ? undefined : slot
  }

  textIdOf(slot: number): string {
    const begin = this.#begins[slot] ?? 0
    return this.#text.toString('utf8', begin, begin + Math.max(0, this.#lengths[slot] ?? 0))
  }

  isUsed(slot: number): boolean {
    return slot < this.#length && this.#lengths[slot] !== none
  }

  used(): Int32Array {
    return this.all().filter((slot) => this.isUsed(slot))
  }

  /** Those that are used, and those that are free. */
  all(): Int32Array {
    if (this.#all.length !== this.length) {
      this.#all = Int32Array.from({ length: this.length }, (_, slot) => slot)
    }
    return this.#all
  }

  /** By their text_ids, as bytes. */
  order(one: number, other: number): number {
    const [begin, begin2] = [this.#begins[one] ?? 0, this.#begins[other] ?? 0]
    const [end, end2] = [begin + (this.#lengths[one] ?? 0), begin2 + (this.#lengths[other] ?? 0)]
    return this.#text.compare(this.#text, begin2, end2, begin, end)
  }

  /** The slot of a text_id, which is given one if it has none. */
  take(textId: string): number {
    const bytes = this.#write(textId)
    const chain = this.#chainOf(this.#end, bytes)
    const known = this.#find(chain, bytes)
    if (known !== none) return known
    const slot = this.#takeFree()
    this.#begins[slot] = this.#end
    this.#lengths[slot] = bytes
    this.#end += bytes
    this.#size += 1
    this.#link(slot, chain)
    if (this.#size > this.#chains.length) this.#chain(2 * this.#chains.length)
    return slot
  }

  /** @returns the slot that is free now; undefined if the text_id had none */
  release(textId: string): number | undefined {
    const slot = this.of(textId)
    if (slot === undefined) return undefined
    const [begin, bytes, after] = [
      this.#begins[slot] ?? 0,
      this.#lengths[slot] ?? 0,
      this.#next[slot] ?? none,
    ]
    const chain = this.#chainOf(begin, bytes)
    let before = this.#chains[chain] ?? none
    if (before === slot) this.#chains[chain] = after
    else {
      while (this.#next[before] !== slot) before = this.#next[before] ?? none
      this.#next[before] = after
    }
    this.#lengths[slot] = none
    this.#next[slot] = this.#free
    this.#free = slot
    this.#unused += bytes
    this.#size -= 1
    return slot
  }

  async write(file: ArrayWriter): Promise<void> {
    const [length, size, free] = [this.#length, this.#size, this.#free]
    const [bytes, unused, chains] = [this.#end, this.#unused, this.#chains.length]
    await file.putJson({ length, size, bytes, unused, free, chains })
    for (const array of this.#arrays()) await file.put(array)
  }

  /** Reads what `write` has written. */
  async read(file: ArrayReader): Promise<void> {
    const about: AboutTextIds = await file.json()
    this.#length = about.length
    this.#size = about.size
    this.#end = about.bytes
    this.#unused = about.unused
    this.#free = about.free
    this.#text = Buffer.alloc(about.bytes)
    this.#chains = new Int32Array(about.chains)
    this.#begins = new Float64Array(about.length)
    this.#lengths = new Int32Array(about.length)
    this.#next = new Int32Array(about.length)
    for (const array of this.#arrays()) await file.into(array)
  }

  /** What a file holds, and what is filled from it. */
  #arrays(): readonly NumberArray[] {
    const bySlot = [this.#begins, this.#lengths, this.#next].map((all) =>
      all.subarray(0, this.#length),
    )
    return [this.#key, this.#chains, this.#text.subarray(0, this.#end), ...bySlot]
  }

  /** Writes a text_id behind the last, where the next is written as well. @returns its bytes */
  #write(textId: string): number {
    this.#reserve(bytesOfCharacter * textId.length)
    return this.#text.write(textId, this.#end)
  }

  /** The slot whose text_id is the one that is written behind the last. */
  #find(chain: number, bytes: number): number {
    let slot = this.#chains[chain] ?? none
    while (slot !== none && !this.#isLast(slot, bytes)) slot = this.#next[slot] ?? none
    return slot
  }

  /** Most text_ids that differ do so at their ends. */
  #isLast(slot: number, bytes: number): boolean {
    if (this.#lengths[slot] !== bytes) return false
    const [text, begin, end] = [this.#text, this.#begins[slot] ?? 0, this.#end]
    let at = bytes - 1
    while (at >= 0 && text[begin + at] === text[end + at]) at -= 1
    return at < 0
  }

  #chainOf(begin: number, bytes: number): number {
    return keyedHash(this.#key, this.#text, begin, bytes) & (this.#chains.length - 1)
  }

  #link(slot: number, chain: number): void {
    this.#next[slot] = this.#chains[chain] ?? none
    this.#chains[chain] = slot
  }

  /** Puts all into so many chains. */
  #chain(chains: number): void {
    this.#chains = new Int32Array(chains).fill(none)
    for (let slot = 0; slot < this.#length; slot += 1) {
      if (this.isUsed(slot))
        this.#link(slot, this.#chainOf(this.#begins[slot] ?? 0, this.#lengths[slot] ?? 0))
    }
  }

  #takeFree(): number {
    const slot = this.#free
    if (slot !== none) {
      this.#free = this.#next[slot] ?? none
      return slot
    }
    this.#length += 1
    if (this.#length > this.#begins.length) {
      this.#begins = enlarged(this.#begins, this.#length, Float64Array)
      this.#lengths = enlarged(this.#lengths, this.#length, Int32Array)
      this.#next = enlarged(this.#next, this.#length, Int32Array)
    }
    return this.#length - 1
  }

  /** Makes room behind the last text_id, if need be in the place of those that are gone. @throws RangeError if there is no memory */
  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#text.length) return
    const isWorn = 2 * this.#unused > this.#end
    const needed = this.#end - (isWorn ? this.#unused : 0) + bytes
    const text = Buffer.alloc(Math.max(Math.ceil(1.5 * needed), 1_024))
    if (isWorn) this.#end = this.#copyUsed(text)
    else this.#text.copy(text, 0, 0, this.#end)
    if (isWorn) this.#unused = 0
    this.#text = text
  }

  /** @returns how many bytes that took */
  #copyUsed(text: Buffer): number {
    let end = 0
    for (let slot = 0; slot < this.#length; slot += 1) {
      const begin = this.#begins[slot] ?? 0
      if (!this.isUsed(slot)) continue
      this.#begins[slot] = end
      end += this.#text.copy(text, end, begin, begin + (this.#lengths[slot] ?? 0))
    }
    return end
  }
}
