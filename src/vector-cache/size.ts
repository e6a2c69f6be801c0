import { LRUCache } from 'lru-cache'
import type { Change, CollectionState } from './candidates.ts'
import { maxMasks } from './collection.ts'

const maxKnown = 10_000
/** What belongs to a vector beside its components and the characters of its text_id, measured with Node 20. */
const fixedBytes = 100
/** Of a text_id, while none has been read. */
const usualIdBytes = 50

/** Of the characters as the engines of Node and Bun hold them: two bytes each, where one does not do for all. */
const bytesOfId = (textId: string): number =>
  Buffer.byteLength(textId) === textId.length ? textId.length : 2 * textId.length

const sumOf = (ids: readonly string[]) => ids.reduce((sum, id) => sum + bytesOfId(id), 0)

/** What was known of one that is no longer held; what its text_ids are like by then tells another reading. */
const forgottenAfterMs = 10 * 60_000

/** What collections take in memory, as far as it is known without reading them. */
export class Sizes {
  /** All that were read or added, also those that are gone: of what others remove it is not known whether it was there. */
  readonly #ids = new LRUCache<number, { count: number; bytes: number }>({ max: maxKnown })

  /** Two bytes a component, a bit for the codes, one for each mask, and what belongs to each vector. */
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

  /** @returns how many are known by now */
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
