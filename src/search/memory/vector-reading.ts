import { LRUCache } from 'lru-cache'
import type { Change } from '../../collections/change-listener.ts'
import { changesAfter } from '../../collections/changes.ts'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../log.ts'
import { type CollectionState, readState } from '../held/collection-state.ts'
import { FairReading } from '../held/fair-reading.ts'
import { Dropped } from '../held/held-projects.ts'
import type { CacheThread } from './cache-thread.ts'
import type { VectorFiles } from './files/vector-files.ts'
import { HeldVectors } from './held-vectors.ts'
import { missedChange, readVectors } from './read-vectors.ts'
import type { VectorRoom } from './vector-room.ts'

/** How many collections are remembered that could not be read. */
const maxRemembered = 1_000
const retryAfterMs = 10_000
/**
 * If it is unknown what other processes have changed, a collection is read anew. This may take at
 * most this share of the time.
 */
const partOfReading = 1 / 20
/** For how long a search waits for vectors that are read from a file: the database takes longer on a busy disk. */
const patienceMs = 20_000
/** A timer takes no longer time. Nothing takes so long. */
const foreverMs = 2 ** 31 - 1

/** What a cache reads with. */
interface VectorTools {
  readonly database: Pick<Database, 'search' | 'requester' | 'history'>
  readonly thread: CacheThread
  readonly room: VectorRoom
  readonly files: VectorFiles | undefined
  readonly log: Pick<Log, 'info'>
  /** Takes in what others have changed. */
  readonly changed: (change: Change) => void
}

/** Reads collections into the cache thread: from files, or from the database. */
export class VectorReading {
  readonly #tools: VectorTools
  readonly #fair = new FairReading()
  /** When a collection that could not be read may be tried again. */
  readonly #retryAt = new LRUCache<number, number>({ max: maxRemembered })
  /** Those that had a file at the start, which has not turned out to be useless. */
  #inFiles = Promise.resolve(new Set<number>())

  constructor(tools: VectorTools) {
    this.#tools = tools
  }

  /**
   * What is held of a collection. It is read anew if its dimensions changed, after its last vector of
   * others was deleted, or if its history changed, after a restore.
   */
  heldFor(state: CollectionState): HeldVectors | undefined {
    const { collectionId, dimensions, history } = state
    const { room, database } = this.#tools
    const held = room.held.of(collectionId)
    const serverHistory = database.history()
    const isSame = held?.history === history && held.serverHistory === serverHistory
    if (isSame && held.dimensions === dimensions) return held
    if (held !== undefined) room.held.drop(held)
    if (performance.now() < (this.#retryAt.get(collectionId) ?? 0)) return undefined
    const toHold = { ...state, serverHistory, hasMadeRoom: false }
    const begun: HeldVectors = new HeldVectors(toHold, {
      read: () => this.#read(begun),
      failed: () => {
        // If the database is too busy to tell what has changed, a later search asks again.
        if (!begun.isReady && room.held.has(begun)) this.giveUp(begun)
      },
    })
    if (!room.take(begun)) return undefined
    this.#readSoon(begun)
    return begun
  }

  /** Reads what has a file that the database knows, unless others leave no room. */
  async readFiles(serves: (state: CollectionState) => boolean): Promise<void> {
    const { files, database } = this.#tools
    if (files === undefined) return
    this.#inFiles = files
      .names()
      .then((names) => new Set(names.map(({ collectionId }) => collectionId)))
    for (const collectionId of new Set(await this.#inFiles)) {
      const found = await files.find(collectionId)
      const state = found && (await readState(database.search.db, collectionId))
      if (state && serves(state)) this.heldFor(state)
      else (await this.#inFiles).delete(collectionId)
    }
  }

  /** Waits for a collection that is being read from a file. */
  async untilRead(state: CollectionState): Promise<void> {
    const inFiles = await this.#inFiles
    const isIn = () => inFiles.has(state.collectionId)
    if (isIn()) await this.heldSoon(state, patienceMs, isIn)
  }

  /** What is held of a collection, if it is read within so many milliseconds. @param isWorth waiting still */
  async heldSoon(
    state: CollectionState,
    withinMs: number,
    isWorth = () => true,
  ): Promise<HeldVectors | undefined> {
    const held = this.heldFor(state)
    if (held === undefined || held.isReady) return held
    const { attempt } = held
    const isOver = () => held.isReady || attempt.isOver || !isWorth()
    const until = performance.now() + withinMs
    await this.#fair.waitFor(held, isOver, this.#tools.database.requester(), until)
    return held.isReady ? held : undefined
  }

  /**
   * Reads changes unknown to this process: those of other processes, or of a commit without an
   * answer.
   */
  catchUp(held: HeldVectors, knownTo: number): void {
    held.knownTo = knownTo
    if (!this.#fair.isAwaited(held)) this.#readSoon(held)
  }

  /** @returns what ends its reading */
  giveUp(held: HeldVectors, minPauseMs = retryAfterMs): Dropped {
    const pause = Math.max(minPauseMs, held.readMs / partOfReading)
    this.#retryAt.set(held.collectionId, performance.now() + pause)
    this.#tools.room.held.drop(held)
    return new Dropped()
  }

  /** Reads in the background, whoever still waits, in turn with what others have asked for. */
  #readSoon(held: HeldVectors): void {
    const { attempt } = held
    const asker = this.#tools.database.requester()
    const requester = asker && { ...asker, signal: new AbortController().signal }
    const until = performance.now() + foreverMs
    this.#fair.waitFor(held, () => attempt.isOver, requester, until).catch(() => this.giveUp(held))
  }

  /** @throws Dropped if they are not held any more */
  async *#read(held: HeldVectors): AsyncGenerator<void, void> {
    const { database, room } = this.#tools
    const start = performance.now()
    const state = await readState(database.search.db, held.collectionId)
    if (state === undefined) return room.held.drop(held)
    if (held.isReady) return this.#catchUp(held, state)
    if (!room.held.has(held)) throw new Dropped()
    held.history = state.history
    if (!room.take(held, state.vectors)) throw this.giveUp(held)
    if (!(await this.#readFile(held))) {
      const inFiles = await this.#inFiles
      inFiles.delete(held.collectionId)
      yield* this.#readRows(held, state)
    }
    held.readMs = performance.now() - start
    held.isReady = true
  }

  async #catchUp(held: HeldVectors, state: CollectionState): Promise<void> {
    const { database, room, changed } = this.#tools
    const change = await missedChange(database.search.db, state, held.knownTo)
    if (!room.held.has(held)) return
    // What others have changed is not known any more.
    if (change === undefined) throw this.giveUp(held, 0)
    changed(change)
  }

  /** @throws Dropped if it may have been begun anew since, which this would undo */
  #begin(held: HeldVectors, revision: number): void {
    const { collectionId, dimensions } = held
    if (!this.#tools.room.held.has(held)) throw new Dropped()
    this.#tools.thread.tell({ do: 'begin', collectionId, dimensions, revision })
  }

  async *#readRows(held: HeldVectors, state: CollectionState): AsyncGenerator<void, void> {
    const { database, room, thread } = this.#tools
    const { collectionId, dimensions } = held
    const { revision, vectors } = state
    this.#begin(held, revision)
    for await (const rows of readVectors(database.search.db, { collectionId, dimensions })) {
      if (!room.held.has(held)) throw new Dropped()
      thread.tell({ do: 'load', collectionId, rows })
      const textIds = rows.map(({ textId }) => textId)
      if (!room.growBy(held, textIds, vectors)) throw this.giveUp(held)
      held.left = Math.max(0, held.left - rows.length)
      yield
    }
    thread.tell({ do: 'complete', collectionId })
  }

  /** Reads what was written before the last stop, unless more has changed since than was noted. */
  async #readFile(held: HeldVectors): Promise<boolean> {
    const { database, thread, room, files, log } = this.#tools
    const { collectionId, vectors } = held
    const found = await files?.find(collectionId)
    if (files === undefined || found === undefined) return false
    const { folder } = files
    const { hash, revision, isCurrent } = found
    const { db } = database.search
    const isNoted = isCurrent || (await changesAfter(db, collectionId, revision)) !== undefined
    if (!isNoted) return false
    const start = performance.now()
    // Changes that come meanwhile wait for it.
    this.#begin(held, revision)
    const read = await thread.readFile({ do: 'read file', collectionId, folder, hash })
    if (!room.held.has(held)) throw new Dropped()
    if (read === undefined) {
      // Else it would never be written again while the collection does not change.
      await files.remove([found])
      return false
    }
    log.info(`read the vectors of collection ${collectionId} from a file`)
    held.ids = { ...read.ids }
    held.writtenAt = start
    if (!room.grow(held, vectors)) throw this.giveUp(held)
    return true
  }
}
