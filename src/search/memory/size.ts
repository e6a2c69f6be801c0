import { LRUCache } from 'lru-cache'
import type { Change } from '../../collections/change-listener.ts'
import type { CollectionState } from './candidates.ts'
import { maxMasks } from './collection.ts'

const maxKnown = 10_000
/** Bytes per vector in addition to its components and its text_id, measured with Node 20. */
const fixedBytes = 100
/** Assumed bytes of a text_id before any was read. */
const usualIdBytes = 50

/**
 * Node and Bun hold a string with one byte per character, or with two if one is not enough. A
 * text_id that is not ASCII counts as two.
 */
const bytesOfId = (textId: string): number =>
  Buffer.byteLength(textId) === textId.length ? textId.length : 2 * textId.length

const sumOf = (ids: readonly string[]) => ids.reduce((sum, id) => sum + bytesOfId(id), 0)

/**
 * The text_ids of a dropped collection are remembered for this long; another reading would count
 * them anew.
 */
const forgottenAfterMs = 10 * 60_000

/** Estimates the memory that collections take, without reading them. */
export class Sizes {
  /**
   * All text_ids read or added, even deleted ones: for a removed id it is unknown whether it was
   * there.
   */
  readonly #ids = new LRUCache<number, { count: number; bytes: number }>({ max: maxKnown })

  /**
   * Two bytes per component, a bit each for the codes and every mask, and the constant part of a
   * vector.
   */
  bytesOf({
    collectionId,
    vectors,
    dimensions,
  }: Omit<CollectionState, 'revision' | 'history'>): number {
    const ids = this.#ids.get(collectionId)
    const idBytes = ids === undefined || ids.count === 0 ? usualIdBytes : ids.bytes / ids.count
    return vectors * (2.125 * dimensions + fixedBytes + maxMasks / 8 + idBytes)
  }

  begin(collectionId: number): void {
    this.#ids.delete(collectionId)
  }

  /** @returns how many text_ids are known now */
  read(collectionId: number, textIds: readonly string[]): number {
    const { count, bytes } = this.#ids.get(collectionId) ?? { count: 0, bytes: 0 }
    const known = { count: count + textIds.length, bytes: bytes + sumOf(textIds) }
    this.#ids.set(collectionId, known)
    return known.count
  }

  changed({ collectionId, added }: Change): void {
    this.read(
      collectionId,
      added.map(({ textId }) => textId),
    )
  }

  dropped(collectionId: number): void {
    const known = this.#ids.get(collectionId)
    if (known !== undefined) this.#ids.set(collectionId, known, { ttl: forgottenAfterMs })
  }
}
