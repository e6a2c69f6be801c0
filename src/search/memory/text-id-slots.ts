import type { ArrayReader, ArrayWriter, NumberArray } from './files/array-file.ts'
import type { IdSizes } from './held-vectors.ts'
import { enlarged } from './kernels.ts'
import { TextIdBytes } from './text-id-bytes.ts'

/** It was tried with no more. */
export const maxTextIds = 2 ** 24
const none = -1

/** What a file says besides the arrays. */
interface AboutSlots {
  readonly length: number
  readonly size: number
  readonly free: number
  readonly chains: number
}

/** The slot in which the vector of each text_id is: a table of hashes with chains. */
export class TextIdSlots {
  readonly #textIds = new TextIdBytes()
  /** The first slot of each chain; there are 2ⁿ chains, at least as many as text_ids. */
  #chains = new Int32Array(16).fill(none)
  /** By slot, the next one of its chain, or the next free one. */
  #next = new Int32Array(0)
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
    return { count: this.#size, bytes: this.#textIds.size }
  }

  of(textId: string): number | undefined {
    const slot = this.#find(this.#chainOf(this.#textIds.seek(textId)))
    return slot === none ? undefined : slot
  }

  textIdOf(slot: number): string {
    return this.#textIds.of(slot)
  }

  isUsed(slot: number): boolean {
    return this.#textIds.isUsed(slot)
  }

  used(): Int32Array {
    return this.all().filter((slot) => this.isUsed(slot))
  }

  /** Those that are used, and those that are free. */
  all(): Int32Array {
    if (this.#all.length !== this.length) {
      this.#all = new Int32Array(this.length)
      for (let slot = 0; slot < this.length; slot += 1) this.#all[slot] = slot
    }
    return this.#all
  }

  /** By the bytes of their text_ids. */
  order(one: number, other: number): number {
    return this.#textIds.compare(one, other)
  }

  /** The slot of a text_id, which is given one if it has none. */
  take(textId: string): number {
    const chain = this.#chainOf(this.#textIds.seek(textId))
    const known = this.#find(chain)
    if (known !== none) return known
    const slot = this.#takeFree()
    this.#textIds.keepFor(slot)
    this.#link(slot, chain)
    this.#size += 1
    if (this.#size > this.#chains.length) this.#chainAll(2 * this.#chains.length)
    return slot
  }

  /** @returns the slot that is free now; undefined if the text_id had none */
  release(textId: string): number | undefined {
    const chain = this.#chainOf(this.#textIds.seek(textId))
    const slot = this.#find(chain)
    if (slot === none) return undefined
    this.#unlink(slot, chain)
    this.#textIds.drop(slot)
    this.#next[slot] = this.#free
    this.#free = slot
    this.#size -= 1
    return slot
  }

  async write(file: ArrayWriter): Promise<void> {
    const [length, size, free, chains] = [this.#length, this.#size, this.#free, this.#chains.length]
    await file.putJson({ length, size, free, chains })
    for (const array of this.#arrays()) await file.put(array)
    await this.#textIds.write(file, length)
  }

  /** Reads what `write` has written. */
  async read(file: ArrayReader): Promise<void> {
    const { length, size, free, chains }: AboutSlots = await file.json()
    this.#length = length
    this.#size = size
    this.#free = free
    this.#chains = new Int32Array(chains)
    this.#next = new Int32Array(length)
    for (const array of this.#arrays()) await file.into(array)
    await this.#textIds.read(file, length)
  }

  #arrays(): readonly NumberArray[] {
    return [this.#chains, this.#next.subarray(0, this.#length)]
  }

  /** The slot in a chain that has the text_id that is sought. */
  #find(chain: number): number {
    let slot = this.#chains[chain] ?? none
    while (slot !== none && !this.#textIds.isSought(slot)) slot = this.#next[slot] ?? none
    return slot
  }

  #chainOf(hash: number): number {
    return hash & (this.#chains.length - 1)
  }

  #link(slot: number, chain: number): void {
    this.#next[slot] = this.#chains[chain] ?? none
    this.#chains[chain] = slot
  }

  #unlink(slot: number, chain: number): void {
    const after = this.#next[slot] ?? none
    let before = this.#chains[chain] ?? none
    if (before === slot) this.#chains[chain] = after
    else {
      while (this.#next[before] !== slot) before = this.#next[before] ?? none
      this.#next[before] = after
    }
  }

  #chainAll(chains: number): void {
    this.#chains = new Int32Array(chains).fill(none)
    for (let slot = 0; slot < this.#length; slot += 1) {
      if (this.isUsed(slot)) this.#link(slot, this.#chainOf(this.#textIds.hashOf(slot)))
    }
  }

  #takeFree(): number {
    const slot = this.#free
    if (slot !== none) {
      this.#free = this.#next[slot] ?? none
      return slot
    }
    this.#length += 1
    if (this.#length > this.#next.length)
      this.#next = enlarged(this.#next, this.#length, Int32Array)
    return this.#length - 1
  }
}
