import { AsyncResource } from 'node:async_hooks'
import { eq } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { Limiter } from '../concurrency/limiter.ts'
import type { Database } from '../db/database.ts'
import { collections } from '../db/schema.ts'
import { readVectors } from '../vectors/read-vectors.ts'
import { CacheNotes } from './cache-notes.ts'
import { CacheThread } from './cache-thread.ts'
import type {
  CandidateRequest,
  Candidates,
  Change,
  CollectionState,
  Matches,
} from './candidates.ts'
import { Demand } from './demand.ts'
import { MaskMaker } from './mask-maker.ts'
import { missedChange } from './missed-change.ts'
import { Sizes } from './size.ts'

/** Collections of which it is known that they could not be read. */
const mostFailed = 1_000
const retryAfterMs = 10_000
/** Where it is not known what other processes have changed, reading everything anew takes no more than this part of it. */
const partOfReading = 1 / 20
/** Where others write all the time, the database searches rather than have a mask made again and again. */
const mostTimesMasked = 3
/** By how much more often one must have been searched than what it would take the room of. */
const mustExceed = 2

export interface CacheLimits {
  /** Of all vectors that are kept. */
  readonly maxBytes: number
  /** Components (vectors × dimensions) of a collection below which the database searches as fast. */
  readonly fewestComponents: number
  /** Components up to which all vectors of a collection are compared. */
  readonly exactBudget: number
}

interface Entry {
  readonly dimensions: number
  bytes: number
  isReady: boolean
  /** How long it took to read. */
  readMs: number
  /** Whether what the thread lacks is being read. */
  isCatchingUp: boolean
}

/**
 * Vectors of the collections that are searched, in memory: read when they are first searched for, told of each
 * change of this process after its commit, and dropped for others that are searched clearly more often, so
 * that those that do not fit in together never take turns. What it lacks is searched in the database, and the
 * database ranks what it finds: so no answer holds what is not committed.
 */
export class VectorCache {
  readonly #thread: CacheThread
  /** Tenants take turns at the thread, which does one thing after another. */
  readonly #limiter = new Limiter({ maxConcurrent: 4, queueTimeoutMs: 10_000, maxQueue: 1_000 })
  readonly #database: Pick<Database, 'search' | 'requester'>
  readonly #limits: CacheLimits
  readonly #entries = new Map<number, Entry>()
  /** When those that could not be read may be tried again. */
  readonly #retryAt = new LRUCache<number, number>({ max: mostFailed })
  readonly #notes: CacheNotes
  readonly #masks: MaskMaker
  readonly #demand = new Demand()
  readonly #sizes = new Sizes()
  /** Not on behalf of the requester who happens to be the first: others wait for it as well. */
  readonly #forAll = AsyncResource.bind((work: () => unknown) => void work())
  /** One collection is read after the other. */
  #reading: Promise<unknown> = Promise.resolve()

  /** @param warn to be told what `notes` says, once */
  constructor(
    database: Pick<Database, 'search' | 'requester'>,
    limits: CacheLimits,
    warn: (note: string) => void,
  ) {
    this.#database = database
    this.#limits = limits
    this.#notes = new CacheNotes(limits.maxBytes, warn)
    this.#thread = new CacheThread(limits, () => {
      for (const [collectionId, entry] of this.#entries) this.#giveUp(collectionId, entry)
    })
    this.#masks = new MaskMaker(this.#thread, () => database.requester())
  }

  get isOn(): boolean {
    return this.#notes.isSupported && this.#limits.maxBytes > 0
  }

  /** Whether it may hold this collection, which is no too small one. */
  serves({ vectors, dimensions }: Pick<CollectionState, 'vectors' | 'dimensions'>): boolean {
    return this.isOn && vectors * dimensions >= this.#limits.fewestComponents
  }

  notes(): readonly string[] {
    return this.#notes.all()
  }

  /**
   * At least `count` embeddings (or all there are), with those that may be as similar as the last of them.
   * @returns undefined when nothing can be told: then the database searches
   * @throws 503 after waiting for too long for others
   */
  async candidates(
    state: CollectionState,
    request: Omit<CandidateRequest, 'mask'>,
    matches?: Matches,
  ): Promise<Candidates | undefined> {
    const { collectionId, dimensions, revision } = state
    if (!this.serves(state)) return undefined
    this.#demand.note(collectionId)
    this.#notes.noteSize(collectionId, this.#sizes.bytesOf(state) > this.#limits.maxBytes)
    const entry = this.#entryFor(state)
    if (entry === undefined || !entry.isReady) return undefined
    if (!this.#hasRoomToGrow(state, entry)) return undefined
    const question = {
      state: { collectionId, dimensions, revision },
      request: { ...request, mask: matches?.key },
    }
    const ask = () =>
      this.#limiter.run(() => this.#thread.ask(question), this.#database.requester())
    let found = await ask()
    for (let times = 0; found === 'no mask' && matches !== undefined; times += 1) {
      if (times === mostTimesMasked) return undefined
      const isMade = await this.#masks.make(collectionId, matches)
      if (!isMade) return undefined
      found = await ask()
    }
    if (found === 'gone') this.#giveUp(collectionId, entry)
    if (typeof found === 'string') return undefined
    if ('textIds' in found) return found
    this.#catchUp(state, entry, found.knownTo)
    return undefined
  }

  /** Whether it was not asked about a filter before, which may never be asked for again. */
  isNewFilter(collectionId: number, { key }: Matches): boolean {
    return this.#masks.isNew(collectionId, key)
  }

  /** To be told of each change when it is committed. */
  changed(change: Change): void {
    if (!this.#entries.has(change.collectionId)) return
    this.#sizes.changed(change)
    this.#thread.tell({ do: 'change', ...change })
  }

  /** To be told of a committed change of more embeddings than are worth naming: they are read anew. */
  forget(collectionId: number): void {
    const entry = this.#entries.get(collectionId)
    if (entry !== undefined) this.#drop(collectionId, entry)
  }

  /** Of what another process has committed nobody has told, nor where the answer of a commit was lost. */
  #catchUp(state: CollectionState, entry: Entry, knownTo: number): void {
    const { collectionId } = state
    if (entry.isCatchingUp) return
    entry.isCatchingUp = true
    this.#forAll(async () => {
      const change = await missedChange(this.#database.search.db, state, knownTo).catch(
        () => undefined,
      )
      entry.isCatchingUp = false
      if (this.#entries.get(collectionId) !== entry) return
      if (change !== undefined) return this.changed(change)
      this.#retryAt.set(collectionId, performance.now() + entry.readMs / partOfReading)
      this.#drop(collectionId, entry)
    })
  }

  /** After its last vector of other dimensions was deleted a collection begins anew. */
  #entryFor(state: CollectionState): Entry | undefined {
    const entry = this.#entries.get(state.collectionId)
    if (entry?.dimensions === state.dimensions) return entry
    if (entry !== undefined) this.#drop(state.collectionId, entry)
    return this.#load(state)
  }

  #load(state: CollectionState): Entry | undefined {
    const { collectionId, dimensions } = state
    const bytes = this.#sizes.bytesOf(state)
    if (performance.now() < (this.#retryAt.get(collectionId) ?? 0)) return undefined
    if (bytes > this.#limits.maxBytes) return undefined
    const hasRoom = this.#makeRoom(bytes, this.#demand.of(collectionId) / mustExceed)
    this.#notes.noteRoom(collectionId, !hasRoom)
    if (!hasRoom) return undefined
    const entry = { dimensions, bytes, isReady: false, readMs: 0, isCatchingUp: false }
    this.#entries.set(collectionId, entry)
    this.#forAll(() => {
      this.#reading = this.#reading
        .then(() => this.#read(state, entry))
        .catch(() => this.#giveUp(collectionId, entry))
    })
    return entry
  }

  #giveUp(collectionId: number, entry: Entry): void {
    this.#retryAt.set(collectionId, performance.now() + retryAfterMs)
    this.#drop(collectionId, entry)
  }

  async #read(state: CollectionState, entry: Entry): Promise<void> {
    const { collectionId, dimensions } = state
    const { db } = this.#database.search
    const [found] = await db
      .select({ revision: collections.revision })
      .from(collections)
      .where(eq(collections.collectionId, collectionId))
    // It may have been dropped, and perhaps begun anew, meanwhile.
    const isCurrent = () => this.#entries.get(collectionId) === entry
    if (found === undefined || !isCurrent()) return this.#drop(collectionId, entry)
    const { revision } = found
    const start = performance.now()
    this.#sizes.begin(collectionId)
    this.#thread.tell({ do: 'begin', collectionId, dimensions, revision })
    for await (const rows of readVectors(db, state)) {
      if (!isCurrent()) return
      this.#thread.tell({ do: 'load', collectionId, rows })
      const textIds = rows.map(({ textId }) => textId)
      const vectors = Math.max(state.vectors, this.#sizes.read(collectionId, textIds))
      if (!this.#hasRoomToGrow({ ...state, vectors }, entry)) return
    }
    if (!isCurrent()) return
    this.#thread.tell({ do: 'complete', collectionId })
    entry.readMs = performance.now() - start
    entry.isReady = true
  }

  /** Whether it is still kept, as large as it is by now. */
  #hasRoomToGrow(state: CollectionState, entry: Entry): boolean {
    // What was deleted gives no memory back.
    entry.bytes = Math.max(entry.bytes, this.#sizes.bytesOf(state))
    if (entry.bytes > this.#limits.maxBytes) this.#drop(state.collectionId, entry)
    else this.#makeRoom(0, Number.POSITIVE_INFINITY)
    return this.#entries.get(state.collectionId) === entry
  }

  /**
   * Drops what is searched least, where all of that was searched less often than it may be.
   * @returns whether there is room for so many bytes; if not, nothing was dropped
   */
  #makeRoom(bytes: number, lessThan: number): boolean {
    const byDemand = [...this.#entries]
      .map(([id, entry]) => ({ id, entry, demand: this.#demand.of(id) }))
      .sort((a, b) => a.demand - b.demand)
    let free = byDemand.reduce((left, { entry }) => left - entry.bytes, this.#limits.maxBytes)
    let lost = 0
    const leaving = byDemand.filter(({ entry, demand }) => {
      if (free >= bytes) return false
      free += entry.bytes
      lost += demand
      return true
    })
    if (free < bytes || (leaving.length > 0 && lost >= lessThan)) return false
    for (const { id, entry } of leaving) this.#drop(id, entry)
    return true
  }

  #drop(collectionId: number, entry: Entry): undefined {
    if (this.#entries.get(collectionId) !== entry) return
    this.#entries.delete(collectionId)
    this.#thread.tell({ do: 'drop', collectionId })
  }
}
