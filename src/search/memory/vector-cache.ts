import { LRUCache } from 'lru-cache'
import type { Change, ChangeListener } from '../../collections/change-listener.ts'
import { Limiter } from '../../concurrency/limiter.ts'
import { PeriodicTask } from '../../concurrency/periodic-task.ts'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../log.ts'
import type { CollectionState } from '../held/collection-state.ts'
import { type CacheMessage, type CacheReply, CacheThread, MaskMaker } from './cache-thread.ts'
import type { NearestRequest, NearestStored } from './candidates.ts'
import type { ToDiversify } from './diversity.ts'
import { type FileLimits, VectorFiles } from './files/vector-files.ts'
import type { HeldVectors } from './held-vectors.ts'
import { isScaleOutgrown, type SimilarityScale } from './scale.ts'
import { VectorReading } from './vector-reading.ts'
import { VectorRoom } from './vector-room.ts'

/** How many collections are remembered that are not held. */
const maxRemembered = 1_000
const times = { everyMs: 60_000, soonMs: 1_000, retryMs: 5_000 }

/** How long what needs vectors in memory waits for them; small projects are read by then. */
const soonMs = 1_000
/** Fewer texts have no scale. */
const fewestTexts = 100

/** Why there are no vectors of a collection. */
export type NotHeld = 'reading' | 'room'

export interface CacheLimits {
  /** Limit for all vectors together. */
  readonly maxBytes: number
  /** Components (vectors × dimensions) of a collection below which the database is as fast. */
  readonly fewestComponents: number
  /** Components up to which all vectors of a collection are compared. */
  readonly exactBudget: number
  /** Files that the next start reads; undefined for none. */
  readonly files?: FileLimits | undefined
}

/**
 * Keeps the vectors of searched collections in memory. They are read on the first search, and
 * updated with each change of this process after its commit. If the cache is missing something, the
 * database searches. No answer has uncommitted data, or lacks what was committed before its search.
 */
export class VectorCache extends PeriodicTask implements ChangeListener {
  readonly #thread: CacheThread
  /** Requesters take turns at the thread, which does one thing at a time. */
  readonly #limiter = new Limiter({ maxConcurrent: 4, queueTimeoutMs: 10_000, maxQueue: 1_000 })
  /** It takes as long as hundreds of searches. */
  readonly #measuring = new Limiter({ maxConcurrent: 1, queueTimeoutMs: 60_000, maxQueue: 1_000 })
  readonly #database: Pick<Database, 'search' | 'requester' | 'history'>
  readonly #limits: CacheLimits
  readonly #room: VectorRoom
  readonly #reading: VectorReading
  readonly #files: VectorFiles | undefined
  readonly masks: MaskMaker
  /** How many embeddings were uploaded to collections that are not held. */
  readonly #uploaded = new LRUCache<number, number>({ max: maxRemembered })

  /** @param log is warned once with each of the `notes` */
  constructor(
    database: Pick<Database, 'search' | 'requester' | 'history'>,
    limits: CacheLimits,
    log: Pick<Log, 'info' | 'warn'>,
  ) {
    super(times)
    this.#database = database
    this.#limits = limits
    const thread = new CacheThread(limits.exactBudget, () => {
      for (const held of this.#room.held.all()) this.#reading.giveUp(held)
    })
    const dropped = (collectionId: number) => thread.tellIfAlive({ do: 'drop', collectionId })
    const room = new VectorRoom(limits, dropped, log.warn)
    const files =
      limits.files && new VectorFiles(database, limits.files, limits.maxBytes, thread, log)
    const changed = (change: Change) => this.changed(change)
    this.#reading = new VectorReading({ database, thread, room, files, log, changed })
    this.#files = files
    this.#thread = thread
    this.#room = room
    this.masks = new MaskMaker(thread, database)
  }

  get isOn(): boolean {
    return this.#room.isOn
  }

  /** Whether the cache may hold this collection: it is on, and the collection is not too small. */
  serves({ vectors, dimensions }: Pick<CollectionState, 'vectors' | 'dimensions'>): boolean {
    return this.isOn && vectors * dimensions >= this.#limits.fewestComponents
  }

  /** Why it has no vectors of a collection that it serves: 'room' means SERVICE_VECTORMEMORY. */
  lackOf(state: CollectionState): NotHeld | undefined {
    const held = this.#room.held.of(state.collectionId)
    if (held !== undefined) return held.isReady ? undefined : 'reading'
    return this.#room.hasRefused(state.collectionId) ? 'room' : undefined
  }

  notes(): readonly string[] {
    return this.#room.notes()
  }

  /** The memory that it uses. */
  usage() {
    const held = this.#room.held.all().map(({ collectionId, bytes, isReady }) => {
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
    request: NearestRequest,
  ): Promise<NearestStored | 'no mask' | undefined> {
    this.#room.wanted(state)
    const held = this.#reading.heldFor(state)
    if (!held?.isReady || !this.#room.grow(held, state.vectors)) return undefined
    const { collectionId, dimensions, revision } = state
    const at = { collectionId, dimensions, revision }
    const find = () => this.#ask(held, { do: 'nearest', ...at, request })
    const found = await this.#limiter.run(find, this.#database.requester())
    if (found === 'no mask') return found
    if (typeof found === 'string') return undefined
    if ('textIds' in found) return found
    if ('knownTo' in found) this.#reading.catchUp(held, found.knownTo)
    return undefined
  }

  /** How similar its texts are to each other; or why that is unknown. */
  async scale(state: CollectionState): Promise<SimilarityScale | NotHeld | 'few'> {
    if (state.vectors < fewestTexts) return 'few'
    const held = await this.#heldSoon(state)
    if (typeof held === 'string') return held
    const asked = held.scale
    const known = await asked
    if ((known === undefined || isScaleOutgrown(known, state.vectors)) && held.scale === asked)
      held.scale = this.#measure(held, state)
    return (await held.scale) ?? 'reading'
  }

  /** @returns undefined if it was not measured, or before most changes of other processes are known */
  async #measure(held: HeldVectors, state: CollectionState): Promise<SimilarityScale | undefined> {
    const { collectionId } = held
    const ask = () => this.#ask(held, { do: 'scale', collectionId })
    // What is kept is never a refusal.
    const reply = await this.#measuring.run(ask).catch(() => 'none' as const)
    if (typeof reply === 'string' || !('pairs' in reply)) return undefined
    if (reply.revision >= state.revision) return reply
    this.#reading.catchUp(held, reply.revision)
    return isScaleOutgrown(reply, state.vectors) ? undefined : reply
  }

  /** The places of different results; or why that is unknown. */
  async diversify(
    state: CollectionState,
    asked: ToDiversify,
  ): Promise<readonly number[] | NotHeld> {
    const held = await this.#heldSoon(state)
    if (typeof held === 'string') return held
    const { collectionId } = held
    const ask = () => this.#ask(held, { do: 'diversify', collectionId, ...asked })
    const reply = await this.#limiter.run(ask, this.#database.requester())
    if (typeof reply === 'string' || !('places' in reply)) return 'reading'
    if (reply.revision < state.revision) this.#reading.catchUp(held, reply.revision)
    return reply.places
  }

  /** Asks the thread for what is held, which is given up if the thread has it no more. */
  async #ask(held: HeldVectors, message: CacheMessage): Promise<CacheReply> {
    const reply = await this.#thread.ask(message)
    if (reply === 'gone') this.#reading.giveUp(held)
    return reply
  }

  /** Also what is too small to be searched here. */
  async #heldSoon(state: CollectionState): Promise<HeldVectors | NotHeld> {
    if (!this.isOn) return 'room'
    this.#room.wanted(state)
    const held = await this.#reading.heldSoon(state, soonMs)
    return held ?? this.lackOf(state) ?? 'reading'
  }

  /** Waits for vectors that are read from a file after a start. */
  untilRead(state: CollectionState): Promise<void> {
    return this.#reading.untilRead(state)
  }

  /**
   * Call this with each change after its commit. What is uploaded to is kept in memory without a
   * search, once this much was uploaded that it is worth it, and if nothing else has to leave.
   */
  changed(change: Change): void {
    const { collectionId, added } = change
    const held = this.#room.held.of(collectionId)
    if (held !== undefined) {
      this.#thread.tell({ do: 'change', ...change })
      this.#room.changed(held, change)
      return
    }
    const dimensions = added[0]?.vector.length ?? 0
    const vectors = (this.#uploaded.get(collectionId) ?? 0) + added.length
    if (added.length === 0) return
    this.#uploaded.set(collectionId, vectors)
    // The state, but for its size, is found when it is read.
    const state = { collectionId, dimensions, vectors, revision: change.revision, history: '' }
    if (this.serves(state)) this.#reading.heldFor(state)
  }

  /** Call this after a committed change of too many embeddings to list: they are read anew. */
  forget(collectionId: number): void {
    const held = this.#room.held.of(collectionId)
    if (held !== undefined) this.#room.held.drop(held)
  }

  /**
   * Reads files. Cleans up and writes files every minute until `stop`, also after deletions by other
   * processes.
   */
  override start(): void {
    // What cannot be read now is read when it is searched.
    if (this.isOn) void this.#reading.readFiles((state) => this.serves(state)).catch(() => {})
    super.start()
  }

  protected override async work(): Promise<void> {
    await this.clean()
    await this.write()
  }

  /** Drops collections that no project uses any more, and their files. */
  async clean(): Promise<void> {
    const names = (await this.#files?.names()) ?? []
    const ids = names.map(({ collectionId }) => collectionId)
    const used = await this.#room.held.dropUnused(this.#database.search.db, ids)
    // Another process may have written others since.
    await this.#files?.clean(names.filter(({ collectionId }) => !used.has(collectionId)))
  }

  /**
   * Writes files of large collections that have changed since and are at rest.
   * @param isLast whether the process ends: then all that have changed
   */
  async write(isLast = false): Promise<void> {
    await this.#files?.write(this.#room.held, isLast)
  }
}
