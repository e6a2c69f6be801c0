import type { NearestRequest, NearestStored, QueryVector, Unknown } from './candidates.ts'
import { diversify, type ToDiversify } from './diversity.ts'
import type { ArrayReader, ArrayWriter } from './files/array-file.ts'
import { FloatRows, unitOf } from './float-rows.ts'
import type { IdSizes } from './held-vectors.ts'
import { isOutgrown, makeLists } from './lists/make-lists.ts'
import { MeasuredLists } from './lists/measured-lists.ts'
import { minDimensions } from './lists/sign-codes.ts'
import { type Mask, Masks } from './mask.ts'
import {
  countWithin,
  type FoundRow,
  type MemoryQuery,
  nearestOf,
  queryFrom,
  type ToCount,
  type VectorRows,
} from './nearest.ts'
import { QuantizedRows } from './quantized-rows.ts'
import { measureScale, type SimilarityScale } from './scale.ts'
import { TextIdSlots } from './text-id-slots.ts'

/** Of the format of a file. */
const version = 3

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
  readonly #exactBudget: number
  readonly #rows: VectorRows
  readonly #slots = new TextIdSlots()
  #lists: MeasuredLists | undefined
  /** Lists that are being made. They already receive changes. */
  #making: MeasuredLists | undefined
  /** The number of vectors when lists were last begun, and how many were replaced or deleted since. */
  #madeOf = 0
  #changedSince = 0
  readonly masks = new Masks()

  /** @param exactBudget components (vectors × dimensions) up to which all vectors are compared */
  constructor(dimensions: number, exactBudget: number) {
    this.#exactBudget = exactBudget
    this.#rows = {
      bytes: new QuantizedRows(dimensions),
      floats: new FloatRows(dimensions),
      tieOrder: (slot, other) => this.#slots.order(slot, other),
    }
  }

  /** Reads what `write` has written. Float32 stays in the file until it is needed, or `readRest` reads it. */
  static async read(file: ArrayReader, exactBudget: number): Promise<CollectionVectors> {
    const about: AboutVectors = await file.json()
    if (about.version !== version) throw new Error('the file has another format')
    const { slots } = about
    const vectors = new CollectionVectors(about.dimensions, exactBudget)
    await vectors.#rows.floats.read(file, slots)
    for (const array of vectors.#rows.bytes.arrays(slots)) await file.into(array)
    await vectors.#slots.read(file)
    vectors.#madeOf = about.madeOf
    vectors.#changedSince = about.changedSince
    if (about.hasLists) vectors.#lists = await MeasuredLists.read(file, vectors.#rows, slots)
    return vectors
  }

  async write(file: ArrayWriter): Promise<void> {
    const [lists, slots] = [this.#lists, this.#slots.length]
    // Lists that are being made have to be made again.
    const madeOf = this.#making === undefined ? this.#madeOf : 0
    const { dimensions } = this
    const changedSince = this.#changedSince
    const hasLists = lists !== undefined
    await file.putJson({ version, dimensions, slots, madeOf, changedSince, hasLists })
    for (const array of this.#rows.floats.arrays(slots)) await file.put(array)
    for (const array of this.#rows.bytes.arrays(slots)) await file.put(array)
    await this.#slots.write(file)
    await lists?.write(file, slots)
  }

  /** @param pause lets the thread do other work */
  readRest(pause: () => Promise<void>): Promise<void> {
    return this.#rows.floats.readRest(pause)
  }

  get idSizes(): IdSizes {
    return this.#slots.idSizes
  }

  /** Whether lists are missing or being made. */
  get isUnsettled(): boolean {
    return this.#making !== undefined || this.needsLists()
  }

  /** Whether a file of all slots would take much more than what is used of them. */
  get isSparse(): boolean {
    return this.#slots.length > 1.25 * this.#slots.size
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
    const before = this.size
    const slot = this.#slots.take(textId)
    if (this.size === before) this.#changedSince += 1
    const unit = unitOf(vector)
    this.#rows.bytes.set(slot, unit.components)
    this.#rows.floats.set(slot, unit)
    this.#lists?.codes.set(slot)
    this.#making?.codes.set(slot)
    this.masks.change((mask) => mask.change(slot))
  }

  delete(textId: string): void {
    const slot = this.#slots.release(textId)
    if (slot === undefined) return
    this.#rows.bytes.clear(slot)
    this.#lists?.codes.clear(slot)
    this.#making?.codes.clear(slot)
    this.masks.change((mask) => mask.clear(slot))
    this.#changedSince += 1
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
    const mask = request.mask === undefined ? undefined : this.masks.of(request.mask)
    if (request.mask !== undefined) {
      if (mask?.revision === undefined) return 'no mask'
      if (mask.revision > revision) return { knownTo: revision }
    }
    const { within, without = [] } = request
    const leftOut = new Set(without.flatMap((id) => this.#slots.of(id) ?? []))
    if (within !== undefined) return this.#count({ query, within, leftOut, mask }, revision)
    const count = request.count + leftOut.size
    const likely = request.exact ? undefined : this.#likely(query, count, mask, request.minRecall)
    const found = likely ?? nearestOf(this.#rows, query, this.#slotsIn(mask), count)
    if (found === undefined) return 'none'
    const others = found.filter(({ slot }) => !leftOut.has(slot)).slice(0, request.count)
    return {
      textIds: others.map(({ slot }) => this.#slots.textIdOf(slot)),
      distances: others.map(({ distance }) => distance),
      unsure: others.flatMap(({ slot }, place) => (mask?.isSure(slot) === false ? [place] : [])),
      isExact: likely === undefined,
      revision,
    }
  }

  /** @returns 'none' while it would have to wait for much of a file */
  #count(asked: ToCount, revision: number): NearestStored | Unknown {
    if (this.#rows.floats.isInFile) return 'none'
    const { counted, unsure } = countWithin(this.#rows, asked, this.#slotsIn(asked.mask))
    return {
      textIds: unsure.map((slot) => this.#slots.textIdOf(slot)),
      distances: [],
      unsure: [...unsure.keys()],
      counted,
      isExact: true,
      revision,
    }
  }

  /** @param pause lets the thread do other work */
  scale(revision: number, pause: () => Promise<void>): Promise<SimilarityScale> {
    const nearestOther = (slot: number) => {
      const textId = this.#slots.textIdOf(slot)
      const request = { query: { textId }, count: 1, exact: false, without: [textId] }
      const found = this.nearest(request, revision)
      return typeof found === 'object' && 'distances' in found ? found.distances[0] : undefined
    }
    const slots = this.#slots.used()
    return measureScale({ rows: this.#rows, slots, revision, nearestOther }, pause)
  }

  /** @param pause lets the thread do other work */
  diversify(asked: ToDiversify, pause: () => Promise<void>): Promise<number[]> {
    return diversify(this.#rows, asked, (textId) => this.#slots.of(textId), pause)
  }

  /** @param revision up to which the filter may have seen changes */
  fillMask(key: string, textIds: readonly string[], revision: number): void {
    const slots = textIds.flatMap((textId) => this.#slots.of(textId) ?? [])
    this.masks.of(key)?.fill(slots, revision)
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
    const { lists, fill } = await makeLists(this.#rows, this.#slots, pause)
    this.#making = lists
    await fill().finally(() => {
      this.#making = undefined
    })
    this.#lists = lists
  }

  #queryFor(query: QueryVector): MemoryQuery | undefined {
    if ('vector' in query) return queryFrom(unitOf(query.vector))
    const slot = this.#slots.of(query.textId)
    return slot === undefined ? undefined : queryFrom(this.#rows.floats.of(slot))
  }

  /** Those in a mask, or all; then free slots are included, whose similarity is NaN. */
  #slotsIn(mask: Mask | undefined): Int32Array {
    return mask?.slots() ?? this.#slots.all()
  }
}
