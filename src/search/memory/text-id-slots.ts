import { textIdOrder } from '../ranking.ts'
import type { ArrayReader, ArrayWriter } from './files/array-file.ts'

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
  #all = new Int32Array(0)

  /** How many text_ids there are. */
  get size(): number {
    return this.#slots.size
  }

  /** How many slots there are, with those that are free. */
  get length(): number {
    return this.#textIds.length
  }

  textIds(): Iterable<string> {
    return this.#slots.keys()
  }

  of(textId: string): number | undefined {
    return this.#slots.get(textId)
  }

  textIdOf(slot: number): string {
    return this.#textIds[slot] ?? ''
  }

  isUsed(slot: number): boolean {
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
    const slot = this.#slots.get(textId) ?? this.#free.pop() ?? this.#textIds.length
    this.#slots.set(textId, slot)
    this.#textIds[slot] = textId
    return slot
  }

  /** @returns the slot that is free now; undefined if the text_id had none */
  release(textId: string): number | undefined {
    const slot = this.#slots.get(textId)
    if (slot === undefined) return undefined
    this.#slots.delete(textId)
    this.#textIds[slot] = undefined
    this.#free.push(slot)
    return slot
  }

  async write(file: ArrayWriter): Promise<void> {
    for (let at = 0; at < this.length; at += idsAtOnce) {
      await file.putJson(this.#textIds.slice(at, at + idsAtOnce))
    }
  }

  /** Reads what `write` has written of so many slots. */
  async read(file: ArrayReader, length: number): Promise<void> {
    while (this.length < length) {
      const textIds: readonly (string | null)[] = await file.json()
      for (const textId of textIds) {
        const slot = this.#textIds.push(textId ?? undefined) - 1
        if (textId === null) this.#free.push(slot)
        else this.#slots.set(textId, slot)
      }
    }
  }
}
