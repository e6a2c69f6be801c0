import { LRUCache } from 'lru-cache'
import type { Change } from '../../collections/change-listener.ts'
import type { CollectionState } from '../held/collection-state.ts'
import { HeldProjects } from '../held/held-projects.ts'
import type { HeldVectors } from './held-vectors.ts'
import { canCompile, maxMemoryBytes } from './kernels.ts'
import { maxMasks } from './mask.ts'
import { hasRoomFor } from './quantized-rows.ts'
import { maxTextIds } from './text-id-slots.ts'

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
/** Bytes per vector in addition to its components and its text_id, with what arrays reserve to grow. */
const fixedBytes = 160
/** Assumed bytes of a text_id before any was read. */
const usualIdBytes = 50

const otherwise = 'compare vectors in the database, which takes some twenty times longer'
const unsupported = `WebAssembly has no SIMD here: searches ${otherwise}`

type Sized = Pick<CollectionState, 'collectionId' | 'vectors' | 'dimensions'>

/**
 * Decides which collections are held in memory. One is dropped for others only if these are
 * searched clearly more often, so that collections that do not fit together do not displace each
 * other in turn.
 */
export class VectorRoom {
  /** Those that have room. */
  readonly held: HeldProjects<HeldVectors>
  readonly #maxBytes: number
  readonly #isSupported = canCompile()
  readonly #warn: (note: string) => void
  /** Notes that have applied lately, and what they say. */
  readonly #notes = new LRUCache<string, true>({ max: 2, ttl: forgottenAfterMs })
  readonly #tooLarge: string
  /** Of collections that would fit if others were not searched more often. */
  readonly #crowdedOut: string
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
    this.held = new HeldProjects(({ collectionId, ids: { count, bytes } }) => {
      if (count > 0) this.#idBytes.set(collectionId, bytes / count)
      dropped(collectionId)
    })
    const limit = `SERVICE_VECTORMEMORY (${Math.ceil(maxBytes / 2 ** 20)} MB)`
    const most = `${maxMemoryBytes.toLocaleString('en')} components or ${maxTextIds.toLocaleString('en')} embeddings`
    this.#tooLarge = `The vectors of a project do not fit into ${limit}, or have more than ${most}: its searches ${otherwise}`
    this.#crowdedOut = `The vectors of the projects that are searched do not fit into ${limit} together: searches of those that are searched less often ${otherwise}`
    this.#warn = warn
    if (!this.#isSupported) warn(unsupported)
  }

  get isOn(): boolean {
    return this.#isSupported && this.#maxBytes > 0
  }

  /** What operators should know about the vectors in memory. */
  notes(): readonly string[] {
    if (!this.#isSupported) return [unsupported]
    return [this.#tooLarge, this.#crowdedOut].filter((note) => this.#notes.has(note))
  }

  /** Call this on each search. */
  wanted(state: CollectionState): void {
    const { collectionId } = state
    const count = this.#demandOf(collectionId) + 1
    this.#demand.set(collectionId, { count, at: performance.now() })
    // If the cache is off, nothing is too large.
    if (this.#maxBytes > 0 && this.#isTooLarge(state)) this.#note(this.#tooLarge)
  }

  /**
   * Makes room for a collection, and holds it, if it is not too large and those in its place are not
   * searched too often. It may be held already, with another size.
   * @returns whether it is held
   */
  take(held: HeldVectors, vectors = held.vectors): boolean {
    const { collectionId } = held
    held.vectors = vectors
    held.bytes = 0
    const bytes = this.#bytesOf(held)
    const demand = this.#demandOf(collectionId)
    const isTooLarge = this.#isTooLarge(held)
    if (isTooLarge || !this.#makeRoom(bytes, demand / mustExceed)) {
      if (!isTooLarge && demand > 0) this.#note(this.#crowdedOut)
      this.#refused.set(collectionId, true)
      this.held.drop(held)
      return false
    }
    held.bytes = bytes
    this.held.hold(held)
    this.#refused.delete(collectionId)
    return true
  }

  /** Whether there was no room for a collection when it was last searched. */
  hasRefused(collectionId: number): boolean {
    return this.#refused.has(collectionId)
  }

  /**
   * Updates the size of a collection.
   * @returns whether it is still held
   */
  grow(held: HeldVectors, vectors: number): boolean {
    held.vectors = vectors
    // Deleted vectors free no memory.
    held.bytes = Math.max(held.bytes, this.#bytesOf(held))
    if (held.bytes > this.#maxBytes || this.#isTooLarge(held)) this.held.drop(held)
    else this.#makeRoom(0, Number.POSITIVE_INFINITY)
    return this.held.has(held)
  }

  /** Does the same as `grow`, after these text_ids were read. @param vectors at least so many */
  growBy(held: HeldVectors, textIds: readonly string[], vectors: number): boolean {
    held.countIds(textIds)
    return this.grow(held, Math.max(vectors, held.ids.count))
  }

  changed(held: HeldVectors, { added, removed }: Change): void {
    held.changedAt = performance.now()
    if (added.length === 0) return
    held.countIds(added.map(({ textId }) => textId))
    this.grow(held, held.vectors + Math.max(0, added.length - removed.length))
  }

  /** A note for operators is logged once, when it begins to apply. */
  #note(note: string): void {
    if (!this.#notes.has(note)) this.#warn(note)
    this.#notes.set(note, true)
  }

  #demandOf(collectionId: number): number {
    const last = this.#demand.get(collectionId)
    if (last === undefined) return 0
    return last.count * 2 ** ((last.at - performance.now()) / halfLifeMs)
  }

  #isTooLarge(state: Sized): boolean {
    const isTooMany = state.vectors > maxTextIds || !hasRoomFor(state)
    return isTooMany || this.#bytesOf(state) > this.#maxBytes
  }

  /**
   * Five bytes per component, a bit each for the codes and every mask, and the constant part of a
   * vector.
   */
  #bytesOf({ collectionId, vectors, dimensions }: Sized): number {
    const ids = this.held.of(collectionId)?.ids
    const average = ids?.count ? ids.bytes / ids.count : this.#idBytes.get(collectionId)
    const idBytes = average ?? usualIdBytes
    return vectors * (5.125 * dimensions + fixedBytes + maxMasks / 8 + idBytes)
  }

  /**
   * Drops the least searched collections, unless their demand together reaches `lessThan`.
   * @returns whether there is room for so many bytes; if not, nothing was dropped
   */
  #makeRoom(bytes: number, lessThan: number): boolean {
    const byDemand = this.held
      .all()
      .map((held) => ({ held, demand: this.#demandOf(held.collectionId) }))
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
    for (const { held } of leaving) this.held.drop(held)
    return true
  }
}
