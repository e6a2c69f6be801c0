import type { Change } from '../../collections/change-listener.ts'
import { hasRoomFor } from './byte-rows.ts'
import { CacheNotes } from './cache-notes.ts'
import type { CollectionState } from './candidates.ts'
import { Demand } from './demand.ts'
import { Sizes } from './size.ts'

/**
 * A collection displaces others only if it is searched this many times as often as they are
 * together.
 */
const mustExceed = 2

export interface HeldCollection {
  readonly dimensions: number
  history: string
  bytes: number
  isReady: boolean
  /** How long it took to read, in milliseconds. */
  readMs: number
  /** Whether changes that the thread has missed are being read. */
  isCatchingUp: boolean
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
  readonly #notes: CacheNotes
  readonly #demand = new Demand()
  readonly #sizes = new Sizes()

  /**
   * @param dropped is called for each collection that is no longer held
   * @param warn is called once with each of the `notes`
   */
  constructor(
    maxBytes: number,
    dropped: (collectionId: number) => void,
    warn: (note: string) => void,
  ) {
    this.#maxBytes = maxBytes
    this.#dropped = dropped
    this.#notes = new CacheNotes(maxBytes, warn)
  }

  get isOn(): boolean {
    return this.#notes.isSupported && this.#maxBytes > 0
  }

  notes(): readonly string[] {
    return this.#notes.all()
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
    this.#demand.note(state.collectionId)
    // If the cache is off, nothing is too large.
    if (this.#maxBytes > 0) this.#notes.tooLarge.note(state.collectionId, this.#isTooLarge(state))
  }

  /**
   * Makes room for a collection. Undefined if it is too large, or if the collections in its place
   * are searched too often.
   */
  take(state: CollectionState): HeldCollection | undefined {
    const { collectionId, dimensions, history } = state
    const bytes = this.#sizes.bytesOf(state)
    if (this.#isTooLarge(state)) return undefined
    const hasRoom = this.#makeRoom(bytes, this.#demand.of(collectionId) / mustExceed)
    this.#notes.crowdedOut.note(collectionId, !hasRoom)
    if (!hasRoom) return undefined
    const held = { dimensions, history, bytes, isReady: false, readMs: 0, isCatchingUp: false }
    this.#held.set(collectionId, held)
    this.#sizes.begin(collectionId)
    return held
  }

  /**
   * Updates the size of a collection.
   * @returns whether it is still held
   */
  grow(state: CollectionState, held: HeldCollection): boolean {
    // Deleted vectors free no memory.
    held.bytes = Math.max(held.bytes, this.#sizes.bytesOf(state))
    if (held.bytes > this.#maxBytes || this.#isTooLarge(state)) this.drop(state.collectionId, held)
    else this.#makeRoom(0, Number.POSITIVE_INFINITY)
    return this.isStill(state.collectionId, held)
  }

  /** Does the same as `grow`, after these text_ids were read. */
  growBy(state: CollectionState, held: HeldCollection, textIds: readonly string[]): boolean {
    const vectors = Math.max(state.vectors, this.#sizes.read(state.collectionId, textIds))
    return this.grow({ ...state, vectors }, held)
  }

  changed(change: Change): void {
    this.#sizes.changed(change)
  }

  drop(collectionId: number, held: HeldCollection): undefined {
    if (!this.isStill(collectionId, held)) return
    this.#held.delete(collectionId)
    this.#sizes.dropped(collectionId)
    this.#dropped(collectionId)
  }

  #isTooLarge(state: CollectionState): boolean {
    return this.#sizes.bytesOf(state) > this.#maxBytes || !hasRoomFor(state)
  }

  /**
   * Drops the least searched collections, unless their demand together reaches `lessThan`.
   * @returns whether there is room for so many bytes; if not, nothing was dropped
   */
  #makeRoom(bytes: number, lessThan: number): boolean {
    const byDemand = this.all()
      .map(([id, held]) => ({ id, held, demand: this.#demand.of(id) }))
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
