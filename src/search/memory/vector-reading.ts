import { AsyncResource } from 'node:async_hooks'
import { LRUCache } from 'lru-cache'
import type { Change } from '../../collections/change-listener.ts'
import { changesAfter } from '../../collections/changes.ts'
import { endsWithin } from '../../concurrency/yielding.ts'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../log.ts'
import type { CacheThread } from './cache-thread.ts'
import type { CollectionState } from './candidates.ts'
import type { VectorFiles } from './files/vector-files.ts'
import type { HeldCollection, HeldCollections } from './held-collections.ts'
import { missedChange, readVectors, stateOf } from './read-vectors.ts'

/** How many collections are remembered that could not be read. */
const maxRemembered = 1_000
const retryAfterMs = 10_000
/**
 * If it is unknown what other processes have changed, a collection is read anew. This may take at
 * most this share of the time.
 */
const partOfReading = 1 / 20
/** For how long a search waits for vectors that are read from a file. */
const patienceMs = 5_000

/** Reads collections into the cache thread, one at a time: from files, or from the database. */
export class VectorReading {
  readonly #database: Pick<Database, 'search'>
  readonly #thread: CacheThread
  readonly #held: HeldCollections
  readonly #files: VectorFiles | undefined
  readonly #log: Pick<Log, 'info'>
  /** When a collection that could not be read may be tried again. */
  readonly #retryAt = new LRUCache<number, number>({ max: maxRemembered })
  /**
   * Runs work apart from the context of the first requester, because others wait for it as well.
   */
  readonly #forAll = AsyncResource.bind((work: () => unknown) => void work())
  #last: Promise<unknown> = Promise.resolve()
  /** Collections that are being read from files, or soon will be. */
  readonly #fromFiles = new Map<number, Promise<unknown>>()

  constructor(
    database: Pick<Database, 'search'>,
    thread: CacheThread,
    held: HeldCollections,
    files: VectorFiles | undefined,
    log: Pick<Log, 'info'>,
  ) {
    this.#database = database
    this.#thread = thread
    this.#held = held
    this.#files = files
    this.#log = log
  }

  /**
   * What is held of a collection. It is read anew if its dimensions changed, after its last vector of
   * others was deleted, or if its history changed, after a restore.
   */
  heldFor(state: CollectionState): HeldCollection | undefined {
    const { collectionId, dimensions, history } = state
    const held = this.#held.of(collectionId)
    if (held?.dimensions === dimensions && held.history === history) return held
    if (held !== undefined) this.#held.drop(collectionId, held)
    if (performance.now() < (this.#retryAt.get(collectionId) ?? 0)) return undefined
    const taken = this.#held.take(state)
    if (taken === undefined) return undefined
    this.#forAll(() => {
      this.#last = this.#last
        .then(() => this.#read(state, taken))
        .catch(() => this.giveUp(collectionId, taken))
    })
    return taken
  }

  /** Reads what has a file that the database knows, unless others leave no room. */
  async readFiles(serves: (state: CollectionState) => boolean): Promise<void> {
    const written = new Set((await this.#files?.names())?.map(({ collectionId }) => collectionId))
    for (const collectionId of written) {
      const found = await this.#files?.find(collectionId)
      const state = found && (await stateOf(this.#database.search.db, collectionId))
      if (state === undefined || !serves(state) || this.heldFor(state) === undefined) continue
      const read = this.#last.finally(() => this.#fromFiles.delete(collectionId))
      this.#fromFiles.set(collectionId, read)
    }
  }

  /** Waits for a collection that is being read from a file: the database would take as long. */
  async untilRead(collectionId: number): Promise<void> {
    const read = this.#fromFiles.get(collectionId)
    if (read !== undefined) await endsWithin(read, patienceMs)
  }

  /**
   * Reads changes unknown to this process: those of other processes, or of a commit without an
   * answer.
   */
  catchUp(
    state: CollectionState,
    held: HeldCollection,
    knownTo: number,
    changed: (change: Change) => void,
  ): void {
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
      if (change === undefined) this.giveUp(collectionId, held, 0)
      else changed(change)
    })
  }

  giveUp(collectionId: number, held: HeldCollection, minPauseMs = retryAfterMs): void {
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
    const start = performance.now()
    const found = await this.#find(state, held)
    if (found === undefined) return
    const now = { ...state, vectors: found.vectors }
    if (await this.#readFile(now, held)) {
      held.isReady = true
      return
    }
    if (!this.#held.isStill(collectionId, held)) return
    this.#thread.tell({ do: 'begin', collectionId, dimensions, revision: found.revision })
    for await (const rows of readVectors(this.#database.search.db, state)) {
      if (!this.#held.isStill(collectionId, held)) return
      this.#thread.tell({ do: 'load', collectionId, rows })
      const textIds = rows.map(({ textId }) => textId)
      if (!this.#held.growBy(now, held, textIds)) return this.#pause(collectionId, held)
    }
    this.#thread.tell({ do: 'complete', collectionId })
    held.readMs = performance.now() - start
    held.isReady = true
  }

  /** The collection as it is now; undefined if it is gone or does not fit. */
  async #find({ collectionId, ...state }: CollectionState, held: HeldCollection) {
    const found = await stateOf(this.#database.search.db, collectionId)
    if (found === undefined) return this.#held.drop(collectionId, held)
    if (!this.#held.isStill(collectionId, held)) return undefined
    held.history = found.history
    if (this.#held.fits({ ...state, collectionId, vectors: found.vectors }, held)) return found
    return void this.#pause(collectionId, held)
  }

  /** Reads what was written before the last stop, unless more has changed since than was noted. */
  async #readFile(state: CollectionState, held: HeldCollection): Promise<boolean> {
    const { collectionId, dimensions } = state
    const found = await this.#files?.find(collectionId)
    if (this.#files === undefined || found === undefined) return false
    const { db } = this.#database.search
    const { folder } = this.#files
    const { hash, revision, isCurrent } = found
    const isNoted = isCurrent || (await changesAfter(db, collectionId, revision)) !== undefined
    if (!isNoted || !this.#held.isStill(collectionId, held)) return false
    // Changes that come meanwhile wait for it.
    this.#thread.tell({ do: 'begin', collectionId, dimensions, revision })
    const read = await this.#thread.readFile({ do: 'read file', collectionId, folder, hash })
    if (!this.#held.isStill(collectionId, held)) return false
    if (read === undefined) {
      // Else it would never be written again while the collection does not change.
      await this.#files.remove([found])
      return false
    }
    this.#log.info(`read the vectors of collection ${collectionId} from a file`)
    held.ids = { ...read.ids }
    held.writtenAt = performance.now()
    return this.#held.grow(state, held)
  }
}
