import { AsyncResource } from 'node:async_hooks'
import { eq } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Change, ChangeListener } from '../../collections/change-listener.ts'
import { inUseOf } from '../../collections/collections.ts'
import { Limiter } from '../../concurrency/limiter.ts'
import { PeriodicTask } from '../../concurrency/periodic-task.ts'
import type { Database } from '../../db/database.ts'
import { historyOf } from '../../db/history.ts'
import { collections } from '../../db/schema.ts'
import { CacheThread, MaskMaker } from './cache-thread.ts'
import type { CollectionState, Matches, NearestRequest, NearestStored } from './candidates.ts'
import { type HeldCollection, HeldCollections } from './held-collections.ts'
import { missedChange, readVectors } from './read-vectors.ts'

/** How many collections are remembered that are not held. */
const maxRemembered = 1_000
const retryAfterMs = 10_000
/**
 * If it is unknown what other processes have changed, a collection is read anew. This may take at
 * most this share of the time.
 */
const partOfReading = 1 / 20
const times = { everyMs: 60_000, soonMs: 1_000, retryMs: 5_000 }
/**
 * If others write all the time, a mask is not made more often for one search; the database
 * searches.
 */
const maxTimesMasked = 3

export interface CacheLimits {
  /** Limit for all vectors together. */
  readonly maxBytes: number
  /** Components (vectors × dimensions) of a collection below which the database is as fast. */
  readonly fewestComponents: number
  /** Components up to which all vectors of a collection are compared. */
  readonly exactBudget: number
}

/**
 * Keeps the vectors of searched collections in memory. They are read on the first search, and
 * updated with each change of this process after its commit. If the cache is missing something, the
 * database searches. No answer has uncommitted data, or lacks what was committed before its search.
 */
export class VectorCache implements ChangeListener {
  readonly #thread: CacheThread
  /** Requesters take turns at the thread, which does one thing at a time. */
  readonly #limiter = new Limiter({ maxConcurrent: 4, queueTimeoutMs: 10_000, maxQueue: 1_000 })
  readonly #database: Pick<Database, 'search' | 'requester' | 'history'>
  readonly #limits: CacheLimits
  readonly #held: HeldCollections
  /** When a collection that could not be read may be tried again. */
  readonly #retryAt = new LRUCache<number, number>({ max: maxRemembered })
  readonly #masks: MaskMaker
  /** How many embeddings were uploaded to collections that are not held. */
  readonly #uploaded = new LRUCache<number, number>({ max: maxRemembered })
  /**
   * Runs work apart from the context of the first requester, because others wait for it as well.
   */
  readonly #forAll = AsyncResource.bind((work: () => unknown) => void work())
  #history: number
  readonly #task: PeriodicTask
  /** Collections are read one at a time. */
  #reading: Promise<unknown> = Promise.resolve()

  /** @param warn is called once with each of the `notes` */
  constructor(
    database: Pick<Database, 'search' | 'requester' | 'history'>,
    limits: CacheLimits,
    warn: (note: string) => void,
  ) {
    this.#database = database
    this.#limits = limits
    this.#history = database.history()
    const thread = new CacheThread(limits, () => {
      for (const [collectionId, held] of this.#held.all()) this.#giveUp(collectionId, held)
    })
    const dropped = (collectionId: number) => thread.tell({ do: 'drop', collectionId })
    this.#thread = thread
    this.#held = new HeldCollections(limits, dropped, warn)
    this.#masks = new MaskMaker(thread, database)
    // An unreachable database is reported elsewhere.
    const ignore = () => {}
    this.#task = new PeriodicTask(times, () => this.clean(), ignore)
  }

  get isOn(): boolean {
    return this.#held.isOn
  }

  /** Whether the cache may hold this collection: it is on, and the collection is not too small. */
  serves({ vectors, dimensions }: Pick<CollectionState, 'vectors' | 'dimensions'>): boolean {
    return this.isOn && vectors * dimensions >= this.#limits.fewestComponents
  }

  /** Why it has no vectors of a collection that it serves: 'room' means SERVICE_VECTORMEMORY. */
  lackOf(state: CollectionState): 'reading' | 'room' | undefined {
    const held = this.#held.of(state.collectionId)
    if (held !== undefined) return held.isReady ? undefined : 'reading'
    return this.#held.hasRefused(state.collectionId) ? 'room' : undefined
  }

  notes(): readonly string[] {
    return this.#held.notes()
  }

  /** The memory that it uses. */
  usage() {
    const held = this.#held.all().map(([collectionId, { bytes, isReady }]) => {
      return { collectionId, bytes: Math.ceil(bytes), isReady }
    })
    return { maxBytes: this.#limits.maxBytes, held }
  }

  /**
   * The nearest embeddings of a collection that it serves, at the revision that the search has found
   * or a later one.
   * @returns undefined if the cache cannot tell: then the database searches
   * @throws 503 after too long a wait in the queue
   */
  async nearest(
    state: CollectionState,
    request: Omit<NearestRequest, 'mask'>,
    matches?: Matches,
  ): Promise<NearestStored | undefined> {
    this.#forgetOldHistory()
    this.#held.wanted(state)
    const held = this.#heldFor(state)
    if (!held?.isReady || !this.#held.grow(state, held)) return undefined
    const masked = { ...request, mask: matches?.key }
    const find = () => this.#thread.nearest(state, masked)
    const ask = () => this.#limiter.run(find, this.#database.requester())
    let found = await ask()
    for (let made = 0; found === 'no mask' && matches !== undefined; made += 1) {
      if (made === maxTimesMasked) return undefined
      if (!(await this.#masks.make(state.collectionId, matches))) return undefined
      found = await ask()
    }
    if (found === 'gone') this.#giveUp(state.collectionId, held)
    if (typeof found === 'string') return undefined
    if ('textIds' in found) return found
    this.#catchUp(state, held, found.knownTo)
    return undefined
  }

  /** Whether this filter is new. A new filter may never be used again. */
  isNewFilter(collectionId: number, { key }: Matches): boolean {
    return this.#masks.isNew(collectionId, key)
  }

  /**
   * Call this with each change after its commit. What is uploaded to is kept in memory without a
   * search, once this much was uploaded that it is worth it, and if nothing else has to leave.
   */
  changed(change: Change): void {
    const { collectionId, added } = change
    if (this.#held.of(collectionId) !== undefined) {
      this.#thread.tell({ do: 'change', ...change })
      this.#held.changed(change)
      return
    }
    const dimensions = added[0]?.vector.length ?? 0
    const vectors = (this.#uploaded.get(collectionId) ?? 0) + added.length
    if (added.length === 0) return
    this.#uploaded.set(collectionId, vectors)
    // The state, but for its size, is found when it is read.
    const state = { collectionId, dimensions, vectors, revision: change.revision, history: '' }
    if (this.serves(state)) this.#heldFor(state)
  }

  /** Call this after a committed change of too many embeddings to list: they are read anew. */
  forget(collectionId: number): void {
    const held = this.#held.of(collectionId)
    if (held !== undefined) this.#held.drop(collectionId, held)
  }

  /** Cleans up every minute until `stop`, also after deletions by other processes. */
  start(): void {
    this.#task.start()
  }

  stop(): void {
    this.#task.stop()
  }

  /** Call this when a project was emptied or deleted. */
  wake(): void {
    this.#task.wake()
  }

  /** Drops collections that no project uses any more. */
  async clean(): Promise<void> {
    const held = this.#held.all()
    if (held.length === 0) return
    const ids = held.map(([collectionId]) => collectionId)
    const left = await inUseOf(this.#database.search.db, ids)
    for (const [collectionId, each] of held) {
      if (!left.has(collectionId)) this.#held.drop(collectionId, each)
    }
  }

  #forgetOldHistory(): void {
    const history = this.#database.history()
    if (history === this.#history) return
    this.#history = history
    for (const [collectionId, held] of this.#held.all()) this.#held.drop(collectionId, held)
  }

  /**
   * Reads changes unknown to this process: those of other processes, or of a commit without an
   * answer.
   */
  #catchUp(state: CollectionState, held: HeldCollection, knownTo: number): void {
    const { collectionId } = state
    if (held.isCatchingUp) return
    held.isCatchingUp = true
    this.#forAll(async () => {
      // If the database is too busy, a later search asks again.
      const change = await missedChange(this.#database.search.db, state, knownTo).catch(
        () => 'not told' as const,
      )
      held.isCatchingUp = false
      if (change === 'not told' || !this.#held.isStill(collectionId, held)) return
      if (change === undefined) this.#giveUp(collectionId, held, 0)
      else this.changed(change)
    })
  }

  /**
   * Reads a collection anew if its dimensions changed, after its last vector of others was deleted,
   * or if its history changed, after a restore.
   */
  #heldFor(state: CollectionState): HeldCollection | undefined {
    const { collectionId, dimensions, history } = state
    const held = this.#held.of(collectionId)
    if (held?.dimensions === dimensions && held.history === history) return held
    if (held !== undefined) this.#held.drop(collectionId, held)
    if (performance.now() < (this.#retryAt.get(collectionId) ?? 0)) return undefined
    const taken = this.#held.take(state)
    if (taken === undefined) return undefined
    this.#forAll(() => {
      this.#reading = this.#reading
        .then(() => this.#read(state, taken))
        .catch(() => this.#giveUp(collectionId, taken))
    })
    return taken
  }

  #giveUp(collectionId: number, held: HeldCollection, minPauseMs = retryAfterMs): void {
    this.#pause(collectionId, held, minPauseMs)
    this.#held.drop(collectionId, held)
  }

  /** Does not read a collection again at once. */
  #pause(collectionId: number, held: HeldCollection, minPauseMs = retryAfterMs): void {
    const pause = Math.max(minPauseMs, held.readMs / partOfReading)
    this.#retryAt.set(collectionId, performance.now() + pause)
  }

  async #read(state: CollectionState, held: HeldCollection): Promise<void> {
    const { collectionId, dimensions } = state
    const { db } = this.#database.search
    const [found] = await db
      .select({
        revision: collections.revision,
        vectors: collections.vectors,
        history: historyOf(collections),
      })
      .from(collections)
      .where(eq(collections.collectionId, collectionId))
    if (found === undefined) return this.#held.drop(collectionId, held)
    if (!this.#held.isStill(collectionId, held)) return
    held.history = found.history
    const now = { ...state, vectors: found.vectors }
    if (!this.#held.fits(now, held)) return this.#pause(collectionId, held)
    const start = performance.now()
    this.#thread.tell({ do: 'begin', collectionId, dimensions, revision: found.revision })
    for await (const rows of readVectors(db, state)) {
      if (!this.#held.isStill(collectionId, held)) return
      this.#thread.tell({ do: 'load', collectionId, rows })
      const textIds = rows.map(({ textId }) => textId)
      if (!this.#held.growBy(now, held, textIds)) return this.#pause(collectionId, held)
    }
    this.#thread.tell({ do: 'complete', collectionId })
    held.readMs = performance.now() - start
    held.isReady = true
  }
}
