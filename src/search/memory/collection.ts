import { LRUCache } from 'lru-cache'
import { textIdOrder } from '../ranking.ts'
import type { NearestRequest, NearestStored, QueryVector, Unknown } from './candidates.ts'
import type { ArrayReader, ArrayWriter } from './files/array-file.ts'
import { FloatRows, unitOf } from './float-rows.ts'
import { isOutgrown, makeLists } from './lists/make-lists.ts'
import { MeasuredLists } from './lists/measured-lists.ts'
import { minDimensions } from './lists/sign-codes.ts'
import { Mask } from './mask.ts'
import {
  type FoundRow,
  type MemoryQuery,
  nearestOf,
  queryFrom,
  type VectorRows,
} from './nearest.ts'
import { QuantizedRows } from './quantized-rows.ts'

/** Each mask takes a bit for every vector; `bytesOf` in vector-room.ts counts them. */
export const maxMasks = 128

/** Of the format of a file. */
const version = 1
/** So many text_ids are one part of a file. */
const idsAtOnce = 10_000

/** What a file says of a collection first. */
interface AboutVectors {
  /** Of the format: files of others are not read. */
  readonly version: number
  readonly dimensions: number
  readonly slots: number
  readonly madeOf: number
  readonly changedSince: number
  readonly hasLists: boolean
}

/** The vectors of a collection, by text_id. */
export class CollectionVectors {
  readonly #module: WebAssembly.Module
  readonly #exactBudget: number
  readonly #rows: VectorRows
  readonly #slots = new Map<string, number>()
  /** By slot; undefined for a free slot. */
  readonly #textIds: (string | undefined)[] = []
  readonly #free: number[] = []
  #lists: MeasuredLists | undefined
  /** Lists that are being made. They already receive changes. */
  #making: MeasuredLists | undefined
  /** The number of vectors when lists were last begun, and how many were replaced or deleted since. */
  #madeOf = 0
  #changedSince = 0
  #all = new Int32Array(0)
  readonly #masks = new LRUCache<string, Mask>({ max: maxMasks })

  /** @param exactBudget components (vectors × dimensions) up to which all vectors are compared */
  constructor(module: WebAssembly.Module, dimensions: number, exactBudget: number) {
    this.#module = module
    this.#exactBudget = exactBudget
    this.#rows = {
      bytes: new QuantizedRows(module, dimensions),
      floats: new FloatRows(dimensions),
      tieOrder: (slot, other) => textIdOrder(this.#textIds[slot] ?? '', this.#textIds[other] ?? ''),
    }
  }

  /** Reads what `write` has written. */
  static async read(
    file: ArrayReader,
    module: WebAssembly.Module,
    exactBudget: number,
  ): Promise<CollectionVectors> {
    const about: AboutVectors = await file.json()
    if (about.version !== version) throw new Error('the file has another format')
    const { slots } = about
    const vectors = new CollectionVectors(module, about.dimensions, exactBudget)
    while (vectors.#textIds.length < slots) vectors.#name(await file.json())
    for (const array of vectors.#arrays(slots)) await file.into(array)
    vectors.#madeOf = about.madeOf
    vectors.#changedSince = about.changedSince
    if (about.hasLists)
      vectors.#lists = await MeasuredLists.read(file, module, vectors.#rows, slots)
    return vectors
  }

  async write(file: ArrayWriter): Promise<void> {
    const lists = this.#lists
    const slots = this.#textIds.length
    // Lists that are being made have to be made again.
    const madeOf = this.#making === undefined ? this.#madeOf : 0
    const { dimensions } = this
    const changedSince = this.#changedSince
    const hasLists = lists !== undefined
    await file.putJson({ version, dimensions, slots, madeOf, changedSince, hasLists })
    for (let at = 0; at < slots; at += idsAtOnce) {
      await file.putJson(this.#textIds.slice(at, at + idsAtOnce))
    }
    for (const array of this.#arrays(slots)) await file.put(array)
    await lists?.write(file, slots)
  }

  #arrays(slots: number) {
    return [...this.#rows.floats.arrays(slots), ...this.#rows.bytes.arrays(slots)]
  }

  #name(textIds: readonly (string | null)[]): void {
    for (const textId of textIds) {
      const slot = this.#textIds.length
      this.#textIds.push(textId ?? undefined)
      if (textId === null) this.#free.push(slot)
      else this.#slots.set(textId, slot)
    }
  }

  /** Whether lists are missing or being made. */
  get isUnsettled(): boolean {
    return this.#making !== undefined || this.needsLists()
  }

  textIds(): Iterable<string> {
    return this.#slots.keys()
  }

  get size(): number {
    return this.#slots.size
  }

  get dimensions(): number {
    return this.#rows.floats.dimensions
  }

  /**
   * Adds a vector, or replaces the one of this text_id.
   * @throws RangeError if there is not enough memory, or if the vector has other dimensions
   */
  set(textId: string, vector: Float32Array): void {
    if (vector.length !== this.dimensions) throw new RangeError('a vector has other dimensions')
    const isReplaced = this.#slots.has(textId)
    const slot = this.#slots.get(textId) ?? this.#free.pop() ?? this.#textIds.length
    this.#slots.set(textId, slot)
    this.#textIds[slot] = textId
    const unit = unitOf(vector)
    this.#rows.bytes.set(slot, unit.components)
    this.#rows.floats.set(slot, unit)
    if (isReplaced) this.#changedSince += 1
    this.#lists?.codes.set(slot)
    this.#making?.codes.set(slot)
    this.#inMasks((mask) => mask.change(slot))
  }

  delete(textId: string): void {
    const slot = this.#slots.get(textId)
    if (slot === undefined) return
    this.#slots.delete(textId)
    this.#textIds[slot] = undefined
    this.#free.push(slot)
    this.#rows.bytes.clear(slot)
    this.#lists?.codes.clear(slot)
    this.#making?.codes.clear(slot)
    this.#inMasks((mask) => mask.clear(slot))
    this.#changedSince += 1
  }

  /** Masks that have taken in too many changes are dropped, since each change takes memory. */
  #inMasks(change: (mask: Mask) => void): void {
    if (this.#masks.size === 0) return
    for (const [key, mask] of [...this.#masks.entries()]) {
      change(mask)
      if (mask.isWorn) this.#masks.delete(key)
    }
  }

  /**
   * The `count` most similar. If `exact` is false and there are many, codes choose those that are
   * compared.
   * @param revision at which the vectors are
   * @returns 'none' if the text_id is unknown or too many are alike, 'no mask' if the mask is
   *   missing
   */
  nearest(request: NearestRequest, revision: number): NearestStored | Unknown {
    const query = this.#queryFor(request.query)
    if (query === undefined) return 'none'
    const mask = request.mask === undefined ? undefined : this.#masks.get(request.mask)
    if (request.mask !== undefined && mask?.isFilled !== true) return 'no mask'
    if (mask !== undefined && mask.revision > revision) return { knownTo: revision }
    const self =
      request.withoutSelf && 'textId' in request.query
        ? this.#slots.get(request.query.textId)
        : undefined
    const count = request.count + (self === undefined ? 0 : 1)
    const likely = request.exact ? undefined : this.#likely(query, count, mask, request.minRecall)
    const found = likely ?? this.#among(query, count, mask)
    if (found === undefined) return 'none'
    const others = found.filter(({ slot }) => slot !== self).slice(0, request.count)
    return {
      textIds: others.map(({ slot }) => this.#textIds[slot] ?? ''),
      distances: others.map(({ distance }) => distance),
      unsure: others.flatMap(({ slot }, place) => (mask?.isSure(slot) === false ? [place] : [])),
      isExact: likely === undefined,
      revision,
    }
  }

  /** Begins a mask that includes all later changes. What the filter keeps now follows. */
  beginMask(key: string): void {
    this.#masks.set(key, new Mask())
  }

  /** @param revision up to which the filter may have seen changes */
  fillMask(key: string, textIds: readonly string[], revision: number): void {
    const slots = textIds.flatMap((textId) => this.#slots.get(textId) ?? [])
    this.#masks.get(key)?.fill(slots, revision)
  }

  /** Those that are likely to be the nearest; undefined if all have to be compared. */
  #likely(
    query: MemoryQuery,
    count: number,
    mask: Mask | undefined,
    minRecall: number | undefined,
  ): FoundRow[] | undefined {
    const compared = mask?.size ?? this.size
    if (compared * this.dimensions <= this.#exactBudget) return undefined
    return this.#lists?.nearest(query, count, mask, minRecall, () => this.#slotsIn(mask))
  }

  #among(query: MemoryQuery, count: number, mask: Mask | undefined): FoundRow[] | undefined {
    return nearestOf(this.#rows, query, this.#slotsIn(mask), count)
  }

  /** Whether lists would speed up searches but are missing or outdated. */
  needsLists(): boolean {
    if (this.size * this.dimensions <= this.#exactBudget || this.#making !== undefined) return false
    if (this.dimensions < minDimensions) return false
    return 2 * this.#changedSince > this.#madeOf || isOutgrown(this.#madeOf, this.size)
  }

  /** @param pause lets the thread do other work */
  async makeLists(pause: () => Promise<void>): Promise<void> {
    this.#madeOf = this.size
    this.#changedSince = 0
    const slots = Int32Array.from(this.#slots.values())
    const { lists, fill } = await makeLists(this.#module, this.#rows, slots, pause)
    this.#making = lists
    const all = () => this.#textIds.keys()
    const isUsed = (slot: number) => this.#textIds[slot] !== undefined
    await fill(all, isUsed).finally(() => {
      this.#making = undefined
    })
    this.#lists = lists
  }

  #queryFor(query: QueryVector): MemoryQuery | undefined {
    if ('vector' in query) return queryFrom(unitOf(query.vector))
    const slot = this.#slots.get(query.textId)
    return slot === undefined ? undefined : queryFrom(this.#rows.floats.of(slot))
  }

  /** Those in a mask, or all; then free slots are included, whose similarity is NaN. */
  #slotsIn(mask: Mask | undefined): Int32Array {
    if (mask !== undefined) return mask.slots()
    if (this.#all.length !== this.#textIds.length) {
      this.#all = Int32Array.from(this.#textIds, (_, slot) => slot)
    }
    return this.#all
  }
}
