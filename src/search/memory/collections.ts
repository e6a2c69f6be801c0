import type { Change } from '../../collections/change-listener.ts'
import { createPause } from '../../concurrency/yielding.ts'
import { receivedVector } from '../../vectors/encoding.ts'
import type { CacheMessage, CacheReply, MessageOf } from './cache-thread.ts'
import { CollectionVectors } from './collection.ts'
import { ArrayReader, writeArrays } from './files/array-file.ts'
import { unfinishedIn, vectorFilePath } from './files/names.ts'

/** Background work delays requests for no longer than this. */
const sliceMs = 3
/**
 * How many text_ids and vectors of changes may wait, and while rows are read, as many as these. With
 * more, reading everything anew is no worse; their memory is not counted.
 */
const maxWaiting = 20_000

/** The collections in the cache thread. */
export class CachedCollections {
  readonly #exactBudget: number
  readonly #cached = new Map<number, CachedCollection>()
  #isMaking = false

  /**
   * @param exactBudget components (vectors × dimensions) above which not all vectors are compared
   */
  constructor(exactBudget: number) {
    this.#exactBudget = exactBudget
  }

  /**
   * Does what a message says. If there is not enough memory, the collection is dropped, and the
   * database searches it.
   * @returns the reply to a question; 'gone' for an unknown collection, and where nothing is asked
   */
  answer(message: CacheMessage): CacheReply | Promise<CacheReply> {
    const { collectionId } = message
    const cached = this.#cached.get(collectionId)
    try {
      if (message.do === 'begin') this.#begin(message)
      else if (cached !== undefined) return this.#apply(message, cached)
    } catch {
      this.#cached.delete(collectionId)
    }
    return 'gone'
  }

  #begin({ collectionId, dimensions, revision }: MessageOf<'begin'>): void {
    this.#cached.delete(collectionId)
    const vectors = new CollectionVectors(dimensions, this.#exactBudget)
    this.#cached.set(collectionId, new CachedCollection(vectors, revision))
  }

  #apply(message: CacheMessage, cached: CachedCollection): CacheReply | Promise<CacheReply> {
    const { vectors } = cached
    switch (message.do) {
      case 'nearest':
        return cached.nearest(message)
      case 'scale':
      case 'diversify':
        return sliced(message, cached).catch(() => 'gone')
      case 'read file':
        return this.#readFile(message, cached).catch(() => 'gone')
      case 'write file':
        return writeFile(message, cached).catch(() => 'gone')
      case 'drop':
        this.#cached.delete(message.collectionId)
        break
      case 'load':
        for (const { textId, vector } of message.rows) vectors.set(textId, receivedVector(vector))
        break
      case 'complete':
        cached.complete()
        this.#makeLists()
        break
      case 'change':
        cached.change(message)
        this.#makeLists()
        break
      case 'begin mask':
        vectors.masks.begin(message.key)
        break
      case 'fill mask':
        vectors.fillMask(message.key, JSON.parse(message.textIds), message.revision)
        break
    }
    return 'gone'
  }

  /** @throws Error if the hash does not prove the file, or if the collection was dropped */
  async #readFile(message: MessageOf<'read file'>, cached: CachedCollection): Promise<CacheReply> {
    const { collectionId, folder, hash } = message
    const pause = this.#pauseFor(collectionId, cached)
    const file = await ArrayReader.open(vectorFilePath(folder, message), hash)
    const read = async () => {
      const vectors = await CollectionVectors.read(file, this.#exactBudget)
      await pause()
      cached.complete(vectors)
      return vectors
    }
    const vectors = await read().catch(async (error) => {
      await file.close()
      throw error
    })
    const isStill = () => this.#cached.get(collectionId) === cached
    void vectors
      .readRest(pause)
      .catch(() => isStill() && this.#cached.delete(collectionId))
      .finally(() => file.close())
    this.#makeLists()
    return { ids: vectors.idSizes }
  }

  /** Makes lists for one collection after another, in the pauses between requests. */
  #makeLists(): void {
    if (this.#isMaking) return
    this.#isMaking = true
    void this.#makeAll().finally(() => {
      this.#isMaking = false
    })
  }

  async #makeAll(): Promise<void> {
    const all = this.#cached
    for (;;) {
      const next = [...all].find(([, cached]) => cached.isComplete && cached.vectors.needsLists())
      if (next === undefined) return
      const [collectionId, cached] = next
      const pause = this.#pauseFor(collectionId, cached)
      // Without lists, all vectors are compared.
      await cached.vectors.makeLists(pause).catch(() => {})
    }
  }

  /** Lets requests go first. It throws once the collection was dropped. */
  #pauseFor(collectionId: number, cached: CachedCollection): () => Promise<void> {
    const pause = createPause(sliceMs)
    return async () => {
      await pause()
      if (this.#cached.get(collectionId) !== cached) throw new Error('the collection was dropped')
    }
  }
}

/** Answers so that searches need not wait. @throws Error if the collection was emptied meanwhile */
async function sliced(
  message: MessageOf<'scale' | 'diversify'>,
  { vectors, revision, isComplete }: CachedCollection,
): Promise<CacheReply> {
  if (!isComplete) return 'gone'
  const pause = createPause(sliceMs)
  if (message.do === 'scale') return vectors.scale(revision, pause)
  return { places: await vectors.diversify(message, pause), revision }
}

/** @throws Error if the collection changes meanwhile */
async function writeFile(
  { collectionId, folder, isLast }: MessageOf<'write file'>,
  cached: CachedCollection,
): Promise<CacheReply> {
  const { vectors, revision } = cached
  if (!cached.isComplete || (!isLast && vectors.isUnsettled)) return 'gone'
  // Who reads it would hold the free slots again; the database gives none.
  if (vectors.isSparse) return 'gone'
  const check = () => {
    if (cached.revision !== revision) throw new Error('the collection has changed')
  }
  const written = await writeArrays(
    unfinishedIn(folder, collectionId),
    (hash) => vectorFilePath(folder, { collectionId, hash }),
    check,
    (file) => vectors.write(file),
  )
  return { ...written, revision }
}

/**
 * A cached collection at one revision. Only changes after the revision of the loaded rows count.
 * Changes that arrive while rows are being loaded are applied afterwards, because a row may have
 * been read before or after them.
 */
class CachedCollection {
  vectors: CollectionVectors
  /** Changes that cannot be applied yet. */
  readonly #waiting = new Set<Change>()
  #sizeWaiting = 0
  revision: number
  isComplete = false

  constructor(vectors: CollectionVectors, revision: number) {
    this.vectors = vectors
    this.revision = revision
  }

  /**
   * @param vectors if they were not added one after another
   * @throws Error if they have other dimensions, which change after the last vector of others was deleted
   */
  complete(vectors = this.vectors): void {
    if (vectors.dimensions !== this.vectors.dimensions) throw new Error('dimensions have changed')
    this.vectors = vectors
    this.isComplete = true
    this.#catchUp()
  }

  /** @throws RangeError if too many changes wait for one that is missing */
  change(change: Change): void {
    if (change.revision <= this.revision) return
    this.#waiting.add(change)
    this.#sizeWaiting += sizeOf(change)
    if (this.isComplete) this.#catchUp()
    const most = this.isComplete ? maxWaiting : maxWaiting + this.vectors.size
    if (this.#sizeWaiting > most) throw new RangeError('too many changes wait')
  }

  /** Answers only if everything committed up to the revision has been applied. */
  nearest({ dimensions, revision, request }: MessageOf<'nearest'>): CacheReply {
    if (this.vectors.dimensions !== dimensions) return 'gone'
    if (!this.isComplete) return 'none'
    if (this.revision < revision) return { knownTo: this.revision }
    return this.vectors.nearest(request, this.revision)
  }

  #catchUp(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#waiting.delete(next)
      this.#sizeWaiting -= sizeOf(next)
      if (next.revision <= this.revision) continue
      for (const textId of next.removed) this.vectors.delete(textId)
      for (const { textId, vector } of next.added) this.vectors.set(textId, vector)
      this.revision = next.revision
    }
  }

  /** Usually the first one, since changes arrive in order. */
  #next(): Change | undefined {
    for (const change of this.#waiting) if (change.after <= this.revision) return change
    return undefined
  }
}

const sizeOf = ({ removed, added }: Change) => removed.length + added.length
