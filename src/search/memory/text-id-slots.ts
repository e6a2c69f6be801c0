import { textIdOrder } from '../ranking.ts'
import type { ArrayReader, ArrayWriter } from './files/array-file.ts'
import { PartsInFile } from './files/parts-in-file.ts'
import { countIds, type IdSizes } from './held-vectors.ts'

/** A `Map` holds no more. */
export const maxTextIds = 2 ** 24
/** So many text_ids are one part of a file. */
const idsAtOnce = 10_000

/** The slot in which the vector of each text_id is. */
export class TextIdSlots {
  readonly #slots = new Map<string, number>()
  /** By slot; undefined for a free slot. */
  readonly #textIds: (string | undefined)[] = []
  readonly #free: number[] = []
  readonly #inFile = new PartsInFile()
  /** How many text_ids are in the file still. */
  #left = 0
  #all = new Int32Array(0)

  /** How many text_ids there are. */
  get size(): number {
    return this.#slots.size + this.#left
  }

  /** How many slots there are, with those that are free. */
  get length(): number {
    return this.#textIds.length
  }

  sizes(): IdSizes {
    this.#readAll()
    const sizes = { count: 0, bytes: 0 }
    countIds(sizes, this.#slots.keys())
    return sizes
  }

  of(textId: string): number | undefined {
    this.#readAll()
    return this.#slots.get(textId)
  }

  textIdOf(slot: number): string {
    this.#readPart(Math.floor(slot / idsAtOnce))
    return this.#textIds[slot] ?? ''
  }

  isUsed(slot: number): boolean {
    this.#readAll()
    return this.#textIds[slot] !== undefined
  }

  used(): Int32Array {
    return this.all().filter((slot) => this.isUsed(slot))
  }

  /** Those that are used, and those that are free. */
  all(): Int32Array {
    if (this.#all.length !== this.length) {
      this.#all = Int32Array.from(this.#textIds, (_, slot) => slot)
    }
    return this.#all
  }

  /** By their text_ids. */
  order(one: number, other: number): number {
    return textIdOrder(this.textIdOf(one), this.textIdOf(other))
  }

  /** The slot of a text_id, which is given one if it has none. */
  take(textId: string): number {
    const slot = this.of(textId) ?? this.#free.pop() ?? this.#textIds.length
    this.#slots.set(textId, slot)
    this.#textIds[slot] = textId
    return slot
  }

  /** @returns the slot that is free now; undefined if the text_id had none */
  release(textId: string): number | undefined {
    const slot = this.of(textId)
    if (slot === undefined) return undefined
    this.#slots.delete(textId)
    this.#textIds[slot] = undefined
    this.#free.push(slot)
    return slot
  }

  async write(file: ArrayWriter): Promise<void> {
    this.#readAll()
    for (let at = 0; at < this.length; at += idsAtOnce) {
      await file.putJson(this.#textIds.slice(at, at + idsAtOnce))
    }
  }

  /** Begins with so many slots and text_ids of a file, which stay there until they are needed. */
  read(file: ArrayReader, length: number, size: number): void {
    this.#inFile.leave(file, Math.ceil(length / idsAtOnce))
    this.#textIds.length = length
    this.#left = size
  }

  /** Reads what is in the file still. @param pause is called between two parts */
  async readRest(pause: () => Promise<void>): Promise<void> {
    for (const part of this.#inFile.places()) {
      await pause()
      this.#readPart(part)
    }
  }

  #readAll(): void {
    if (this.#left === 0) return
    for (const part of this.#inFile.places()) this.#readPart(part)
  }

  #readPart(part: number): void {
    const read = this.#inFile.read(part)
    if (read === undefined) return
    const textIds: readonly (string | null)[] = JSON.parse(Buffer.from(read.buffer).toString())
    for (const [at, textId] of textIds.entries()) {
      const slot = part * idsAtOnce + at
      if (textId === null) {
        this.#free.push(slot)
        continue
      }
      this.#textIds[slot] = textId
      this.#slots.set(textId, slot)
      this.#left -= 1
    }
  }
}
