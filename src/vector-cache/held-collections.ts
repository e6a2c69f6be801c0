import { hasRoomFor } from './byte-rows.ts'
import { CacheNotes } from './cache-notes.ts'
import type { Change, CollectionState } from './candidates.ts'
import { Demand } from './demand.ts'
import { Sizes } from './size.ts'

/** By how much more often one must have been searched than what it would take the room of. */
const mustExceed = 2

/** A collection for which there is room. */
export interface HeldCollection {
  readonly dimensions: number
  history: string
  bytes: number
  isReady: boolean
  /** How long it took to read. */
  readMs: number
  /** Whether what the thread lacks is being read. */
  isCatchingUp: boolean
}

/**
 * For which collections there is room: one is dropped for others that are searched clearly more often, so that
 * those that do not fit in together never take turns.
 */
export class HeldCollections {
  readonly #maxBytes: number
  readonly #dropped: (collectionId: number) => void
  readonly #held = new Map<number, HeldCollection>()
  readonly #notes: CacheNotes
  readonly #demand = new Demand()
  readonly #sizes = new Sizes()

  /**
   * @param dropped is told of each that is held no longer
   * @param warn is told what `notes` says, once
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

  /** It may have been dropped, and perhaps begun anew, meanwhile. */
  isStill(collectionId: number, held: HeldCollection): boolean {
    return this.#held.get(collectionId) === held
  }

  /** To be told of each search. */
  wanted(state: CollectionState): void {
    this.#demand.note(state.collectionId)
    // Where none is wanted nothing is too large.
    if (this.#maxBytes > 0) this.#notes.tooLarge.note(state.collectionId, this.#isTooLarge(state))
  }

  /** Makes room for one that is not held; undefined where there is none, or others are searched more often. */
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

  /** @returns whether it is still held, as large as it is by now */
  grow(state: CollectionState, held: HeldCollection): boolean {
    // What was deleted gives no memory back.
    held.bytes = Math.max(held.bytes, this.#sizes.bytesOf(state))
    if (held.bytes > this.#maxBytes || this.#isTooLarge(state)) this.drop(state.collectionId, held)
    else this.#makeRoom(0, Number.POSITIVE_INFINITY)
    return this.isStill(state.collectionId, held)
  }

  /** As `grow`, when these were read. */
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
   * Drops what is searched least, where all of that was searched less often than it may be.
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
