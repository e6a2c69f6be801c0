import type { NumberArray } from '../files/array-file.ts'
import { enlarged, grow } from '../kernels.ts'

const blockRows = 16
/** Blocks that a list grows by, which lie one behind the other. */
const runBlocks = 4
const runRows = blockRows * runBlocks
/** Runs of a list that lie one behind the other are read as one, up to so many. */
const maxJoined = 8
/** Until a list is read, after each change. */
const notJoined = -1
/** Bytes of what a block has beside the codes: offsets, factors, errors and slots. */
const besideBytes = 4 * 4 * blockRows

/** Successive blocks. */
export interface Run {
  readonly address: number
  blocks: number
}

/** What a file says of blocks besides their arrays. */
export interface AboutBlocks {
  /** The numbers of each list's runs. */
  readonly runs: readonly (readonly number[])[]
  readonly size: number
}

/** Codes in the blocks that the kernels of kernels.wat read, list by list, without gaps. */
export class Blocks {
  readonly bytes: number
  readonly #memory: WebAssembly.Memory
  readonly #begin: number
  /** The memory, also below the first block, until it grows. */
  floats: Float32Array
  integers: Int32Array
  #codes: Uint8Array
  /** How many runs all lists have. */
  #runs = 0
  /** The numbers of each list's runs, and how many rows it has. */
  readonly #lists: readonly number[][]
  readonly #sizes: Int32Array
  /** By slot, the list it is in, or -1, and its place there. */
  #listOf = new Int32Array(0)
  #placeOf = new Int32Array(0)
  #size = 0
  /**
   * Of each list, the first run that has rows, which is most often the only one, and the others. A search reads
   * hundreds of lists, whose runs would be anywhere in memory as objects.
   */
  readonly #firstAddresses: Uint32Array
  readonly #firstBlocks: Int32Array
  readonly #otherRuns: (readonly Run[] | undefined)[] = []

  /** @param begin address of the first block @param bytes length of a code */
  constructor(memory: WebAssembly.Memory, begin: number, bytes: number, lists: number) {
    this.#memory = memory
    this.#begin = begin
    this.bytes = bytes
    this.#lists = Array.from({ length: lists }, () => [])
    this.#sizes = new Int32Array(lists)
    this.#firstAddresses = new Uint32Array(lists)
    this.#firstBlocks = new Int32Array(lists).fill(notJoined)
    if (begin > memory.buffer.byteLength) grow(memory, begin)
    this.#codes = new Uint8Array(memory.buffer)
    this.floats = new Float32Array(memory.buffer)
    this.integers = new Int32Array(memory.buffer)
  }

  get size(): number {
    return this.#size
  }

  listOf(slot: number): number | undefined {
    const list = this.#listOf[slot] ?? -1
    return list === -1 ? undefined : list
  }

  /** The runs of a list that have rows, one after the other. */
  runOf(list: number, at: number): Run | undefined {
    if (this.#firstBlocks[list] === notJoined) this.#join(list)
    if (at > 0) return this.#otherRuns[list]?.[at - 1]
    const blocks = this.#firstBlocks[list] ?? 0
    return blocks === 0 ? undefined : { address: this.#firstAddresses[list] ?? 0, blocks }
  }

  #join(list: number): void {
    const numbers = this.#lists[list] ?? []
    const size = this.#sizes[list] ?? 0
    const runs: Run[] = []
    let joined = 0
    for (let first = 0; first < size; first += runRows) {
      const number = numbers[first / runRows] ?? 0
      const blocks = Math.ceil(Math.min(size - first, runRows) / blockRows)
      const last = runs.at(-1)
      if (last !== undefined && numbers[first / runRows - 1] === number - 1 && joined < maxJoined) {
        last.blocks += blocks
        joined += 1
      } else {
        runs.push({ address: this.#addressOf(number), blocks })
        joined = 1
      }
    }
    this.#firstAddresses[list] = runs[0]?.address ?? 0
    this.#firstBlocks[list] = runs[0]?.blocks ?? 0
    this.#otherRuns[list] = runs.length > 1 ? runs.slice(1) : undefined
  }

  /** What a file says of the blocks besides their arrays. */
  get about(): AboutBlocks {
    return { runs: this.#lists, size: this.#size }
  }

  /** Makes room for what a file holds, which then fills the arrays. */
  restore({ runs, size }: AboutBlocks): void {
    for (const [list, numbers] of runs.entries()) this.#lists[list]?.push(...numbers)
    this.#runs = runs.reduce((sum, { length }) => sum + length, 0)
    this.#size = size
    this.#reserve(this.#runs)
  }

  /** What a file holds of so many slots, and what is filled from it. */
  arrays(slots: number): readonly NumberArray[] {
    this.#nameUpTo(slots)
    return [
      this.#codes.subarray(this.#begin, this.#addressOf(this.#runs)),
      this.#sizes,
      this.#listOf.subarray(0, slots),
      this.#placeOf.subarray(0, slots),
    ]
  }

  /** Makes room for so many rows of each list, which then lie one behind the other. */
  reserve(sizes: Int32Array): void {
    for (const [list, size] of sizes.entries()) {
      for (let first = 0; first < size; first += runRows) this.#lengthen(list, first / runRows)
    }
  }

  /**
   * Adds a row, whose code and numbers are still to be written.
   * @returns the address of its code
   * @throws RangeError if there is not enough memory
   */
  add(list: number, slot: number): number {
    const place = this.#sizes[list] ?? 0
    if (place % runRows === 0) this.#lengthen(list, place / runRows)
    this.#name(list, place, slot)
    this.#sizes[list] = place + 1
    this.#firstBlocks[list] = notJoined
    this.#size += 1
    return this.#codeOf(list, place)
  }

  /** Writes what stands beside the code of a slot. */
  describe(slot: number, offset: number, factor: number, error: number): void {
    const beside = this.#besideOf(this.#listOf[slot] ?? 0, this.#placeOf[slot] ?? 0)
    this.floats[beside] = offset
    this.floats[beside + blockRows] = factor
    this.floats[beside + 2 * blockRows] = error
  }

  /** Fills the gap with the last row of the list. */
  remove(slot: number): void {
    const list = this.listOf(slot)
    if (list === undefined) return
    const place = this.#placeOf[slot] ?? 0
    const last = (this.#sizes[list] ?? 0) - 1
    const [to, from] = [this.#codeOf(list, place), this.#codeOf(list, last)]
    for (let byte = 0; byte < this.bytes * blockRows; byte += blockRows) {
      this.#codes[to + byte] = this.#codes[from + byte] ?? 0
    }
    const [beside, source] = [this.#besideOf(list, place), this.#besideOf(list, last)]
    for (let at = 0; at < 3 * blockRows; at += blockRows) {
      this.floats[beside + at] = this.floats[source + at] ?? 0
    }
    this.#name(list, place, this.integers[source + 3 * blockRows] ?? 0)
    this.floats[source] = Number.NaN
    this.#listOf[slot] = -1
    this.#sizes[list] = last
    this.#firstBlocks[list] = notJoined
    this.#size -= 1
  }

  /** Notes which slot is where. */
  #name(list: number, place: number, slot: number): void {
    this.integers[this.#besideOf(list, place) + 3 * blockRows] = slot
    this.#nameUpTo(slot + 1)
    this.#listOf[slot] = list
    this.#placeOf[slot] = place
  }

  #nameUpTo(slots: number): void {
    const known = this.#listOf.length
    if (slots <= known) return
    this.#listOf = enlarged(this.#listOf, slots, Int32Array).fill(-1, known)
    this.#placeOf = enlarged(this.#placeOf, slots, Int32Array)
  }

  /** Gives a list its run of this number. Estimates of places without a row are NaN. */
  #lengthen(list: number, number: number): void {
    const runs = this.#lists[list]
    if (runs === undefined || number < runs.length) return
    this.#reserve(this.#runs + 1)
    runs.push(this.#runs)
    this.#runs += 1
    for (let place = number * runRows; place < (number + 1) * runRows; place += 1) {
      this.floats[this.#besideOf(list, place)] = Number.NaN
    }
  }

  #reserve(runs: number): void {
    const end = this.#addressOf(runs)
    if (end <= this.#memory.buffer.byteLength) return
    grow(this.#memory, end)
    this.#codes = new Uint8Array(this.#memory.buffer)
    this.floats = new Float32Array(this.#memory.buffer)
    this.integers = new Int32Array(this.#memory.buffer)
  }

  #addressOf(run: number): number {
    return this.#begin + run * runBlocks * this.#blockBytes
  }

  get #blockBytes(): number {
    return blockRows * this.bytes + besideBytes
  }

  #blockOf(list: number, place: number): number {
    const run = this.#lists[list]?.[Math.floor(place / runRows)] ?? 0
    const block = Math.floor((place % runRows) / blockRows)
    return this.#addressOf(run) + block * this.#blockBytes
  }

  /** The address of the first byte of a code. */
  #codeOf(list: number, place: number): number {
    return this.#blockOf(list, place) + (place % blockRows)
  }

  /** The index of its first number. */
  #besideOf(list: number, place: number): number {
    const at = this.#blockOf(list, place) + blockRows * this.bytes
    return at / 4 + (place % blockRows)
  }
}
