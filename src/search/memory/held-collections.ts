import { LRUCache } from 'lru-cache'
import type { Change } from '../../collections/change-listener.ts'
import type { CollectionState } from './candidates.ts'
import { maxMasks } from './collection.ts'
import { canCompile, maxMemoryBytes } from './kernels.ts'
import { hasRoomFor } from './quantized-rows.ts'

/**
 * A collection displaces others only if it is searched this many times as often as they are
 * together.
 */
const mustExceed = 2
/** A search this long ago counts half. */
const halfLifeMs = 60_000
/** How many collections are remembered that are not held. */
const maxRemembered = 10_000
/** How long a note stays after it last applied, and the text_ids of a dropped collection count. */
const forgottenAfterMs = 10 * 60_000
/** Bytes per vector in addition to its components and its text_id, measured with Node 20. */
const fixedBytes = 160
/** Assumed bytes of a text_id before any was read. */
const usualIdBytes = 50

const otherwise = 'compare vectors in the database, which takes some twenty times longer'
const unsupported = `WebAssembly has no SIMD here: searches ${otherwise}`

export interface HeldCollection {
  readonly dimensions: number
  /** How many there are, as last heard. */
  vectors: number
  history: string
  bytes: number
  isReady: boolean
  /** How long it took to read, in milliseconds. */
  readMs: number
  /** Whether changes that the thread has missed are being read. */
  isCatchingUp: boolean
  /**
   * How many text_ids were read or added, and their bytes. Deleted ones count too: for a removed id
   * it is unknown whether it was there.
   */
  ids: IdSizes
  /** When it last changed here, and when its file was written or read, in `performance.now()`. */
  changedAt: number
  writtenAt: number
  /** Before this, it is not written again. */
  writeAfter: number
}

/** How many text_ids there are, and their bytes. */
export interface IdSizes {
  count: number
  bytes: number
}

/**
 * Decides which collections are held in memory. One is dropped for others only if these are
 * searched clearly more often, so that collections that do not fit together do not displace each
 * other in turn.
 */
export class HeldCollections {
  readonly #maxBytes: number
  readonly #dropped: (collectionId: number) => void
  readonly #held = new Map<number, HeldCollection>()
  readonly #isSupported = canCompile()
  readonly #tooLarge: ReturnType<typeof createNote>
  /** Collections that would fit if others were not searched more often. */
  readonly #crowdedOut: ReturnType<typeof createNote>
  /** How often collections were searched lately. */
  readonly #demand = new LRUCache<number, { readonly count: number; readonly at: number }>({
    max: maxRemembered,
  })
  /** Those for which there was no room when they were last searched. */
  readonly #refused = new LRUCache<number, true>({ max: maxRemembered })
  /** The average bytes of the text_ids of collections that were dropped. */
  readonly #idBytes = new LRUCache<number, number>({ max: maxRemembered, ttl: forgottenAfterMs })

  /**
   * @param dropped is called for each collection that is no longer held
   * @param warn is called once with each of the `notes`
   */
  constructor(
    { maxBytes }: { readonly maxBytes: number },
    dropped: (collectionId: number) => void,
    warn: (note: string) => void,
  ) {
    this.#maxBytes = maxBytes
    this.#dropped = dropped
    const limit = `SERVICE_VECTORMEMORY (${Math.ceil(maxBytes / 2 ** 20)} MB)`
    const maxComponents = maxMemoryBytes.toLocaleString('en')
    this.#tooLarge = createNote(
      `The vectors of a project do not fit into ${limit}, or have more than ${maxComponents} components: its searches ${otherwise}`,
      warn,
    )
    this.#crowdedOut = createNote(
      `The vectors of the projects that are searched do not fit into ${limit} together: searches of those that are searched less often ${otherwise}`,
      warn,
    )
    if (!this.#isSupported) warn(unsupported)
  }

  get isOn(): boolean {
    return this.#isSupported && this.#maxBytes > 0
  }

  /** What operators should know about the vectors in memory. */
  notes(): readonly string[] {
    if (!this.#isSupported) return [unsupported]
    return [...this.#tooLarge.texts(), ...this.#crowdedOut.texts()]
  }

  all(): readonly [number, HeldCollection][] {
    return [...this.#held]
  }

  of(collectionId: number): HeldCollection | undefined {
    return this.#held.get(collectionId)
  }

  /** False if the collection was dropped meanwhile, and perhaps begun again. */
  isStill(collectionId: number, held: HeldCollection): boolean {
    return this.#held.get(collectionId) === held
  }

  /** Call this on each search. */
  wanted(state: CollectionState): void {
    const { collectionId } = state
    const count = this.#demandOf(collectionId) + 1
    this.#demand.set(collectionId, { count, at: performance.now() })
    // If the cache is off, nothing is too large.
    if (this.#maxBytes > 0 && this.#isTooLarge(state)) this.#tooLarge.applies()
  }

  /**
   * Makes room for a collection. Undefined if it is too large, or if the collections in its place
   * are searched too often.
   */
  take(state: CollectionState): HeldCollection | undefined {
    const { collectionId, dimensions, vectors, history } = state
    this.#refused.set(collectionId, true)
    if (this.#isTooLarge(state)) return undefined
    const bytes = this.#bytesOf(state)
    const demand = this.#demandOf(collectionId)
    const hasRoom = this.#makeRoom(bytes, demand / mustExceed)
    if (!hasRoom) {
      if (demand > 0) this.#crowdedOut.applies()
      return undefined
    }
    const held = {
      dimensions,
      vectors,
      history,
      bytes,
      isReady: false,
      readMs: 0,
      isCatchingUp: false,
      ids: { count: 0, bytes: 0 },
      changedAt: performance.now(),
      writtenAt: Number.NEGATIVE_INFINITY,
      writeAfter: 0,
    }
    this.#held.set(collectionId, held)
    this.#refused.delete(collectionId)
    return held
  }

  /** Whether there was no room for a collection when it was last searched. */
  hasRefused(collectionId: number): boolean {
    return this.#refused.has(collectionId)
  }

  /**
   * Updates the size of a collection.
   * @returns whether it is still held
   */
  grow(state: CollectionState, held: HeldCollection): boolean {
    held.vectors = state.vectors
    // Deleted vectors free no memory.
    held.bytes = Math.max(held.bytes, this.#bytesOf(state))
    if (held.bytes > this.#maxBytes || this.#isTooLarge(state)) this.drop(state.collectionId, held)
    else this.#makeRoom(0, Number.POSITIVE_INFINITY)
    return this.isStill(state.collectionId, held)
  }

  /**
   * Looks again whether there is room, now that the size is known.
   * @returns whether it is still held
   */
  fits(state: CollectionState, held: HeldCollection): boolean {
    held.vectors = state.vectors
    held.bytes = 0
    const bytes = this.#bytesOf(state)
    const lessThan = this.#demandOf(state.collectionId) / mustExceed
    if (this.#isTooLarge(state) || !this.#makeRoom(bytes, lessThan)) {
      this.drop(state.collectionId, held)
      this.#refused.set(state.collectionId, true)
    } else held.bytes = bytes
    return this.isStill(state.collectionId, held)
  }

  /** Does the same as `grow`, after these text_ids were read. */
  growBy(state: CollectionState, held: HeldCollection, textIds: readonly string[]): boolean {
    countIds(held.ids, textIds)
    return this.grow({ ...state, vectors: Math.max(state.vectors, held.ids.count) }, held)
  }

  changed({ collectionId, added, removed, revision }: Change): void {
    const held = this.#held.get(collectionId)
    if (held === undefined) return
    held.changedAt = performance.now()
    if (added.length === 0) return
    countIds(
      held.ids,
      added.map(({ textId }) => textId),
    )
    const { dimensions, history } = held
    const vectors = held.vectors + Math.max(0, added.length - removed.length)
    this.grow({ collectionId, dimensions, vectors, revision, history }, held)
  }

  drop(collectionId: number, held: HeldCollection): undefined {
    if (!this.isStill(collectionId, held)) return
    this.#held.delete(collectionId)
    const { count, bytes } = held.ids
    if (count > 0) this.#idBytes.set(collectionId, bytes / count)
    this.#dropped(collectionId)
  }

  #demandOf(collectionId: number): number {
    const last = this.#demand.get(collectionId)
    if (last === undefined) return 0
    return last.count * 2 ** ((last.at - performance.now()) / halfLifeMs)
  }

  #isTooLarge(state: CollectionState): boolean {
    return this.#bytesOf(state) > this.#maxBytes || !hasRoomFor(state)
  }

  /**
   * Five bytes per component, a bit each for the codes and every mask, and the constant part of a
   * vector.
   */
  #bytesOf({ collectionId, vectors, dimensions }: CollectionState): number {
    const ids = this.#held.get(collectionId)?.ids
    const average = ids?.count ? ids.bytes / ids.count : this.#idBytes.get(collectionId)
    const idBytes = average ?? usualIdBytes
    return vectors * (5.125 * dimensions + fixedBytes + maxMasks / 8 + idBytes)
  }

  /**
   * Drops the least searched collections, unless their demand together reaches `lessThan`.
   * @returns whether there is room for so many bytes; if not, nothing was dropped
   */
  #makeRoom(bytes: number, lessThan: number): boolean {
    const byDemand = this.all()
      .map(([id, held]) => ({ id, held, demand: this.#demandOf(id) }))
      .sort((a, b) => a.demand - b.demand)
    let free = byDemand.reduce((left, { held }) => left - held.bytes, this.#maxBytes)
    let lost = 0
    const leaving = byDemand.filter(({ held, demand }) => {
      if (free >= bytes) return false
      free += held.bytes
      lost += demand
      return true
    })
    if (free < bytes || (leaving.length > 0 && lost >= lessThan)) return false
    for (const { id, held } of leaving) this.drop(id, held)
    return true
  }
}

/**
 * Node and Bun hold a string with one byte per character, or with two if one is not enough. A
 * text_id that is not ASCII counts as two.
 */
export function countIds(ids: IdSizes, textIds: Iterable<string>): void {
  for (const textId of textIds) {
    const isAscii = Buffer.byteLength(textId) === textId.length
    ids.count += 1
    ids.bytes += isAscii ? textId.length : 2 * textId.length
  }
}

/** A note for operators. It is logged once, when it begins to apply. */
function createNote(text: string, warn: (note: string) => void) {
  let until = Number.NEGATIVE_INFINITY
  /** The text, if the note has applied lately. */
  const texts = (): readonly string[] => (performance.now() < until ? [text] : [])

  return {
    texts,
    applies(): void {
      if (texts().length === 0) warn(text)
      until = performance.now() + forgottenAfterMs
    },
  }
}
