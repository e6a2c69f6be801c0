import { LRUCache } from 'lru-cache'
import type { CandidateRequest, Candidates, QueryVector } from './candidates.ts'
import { Mask } from './mask.ts'
import { type Nearest, nearestOf } from './nearest.ts'
import { type QuantizedQuery, QuantizedRows, queryOf } from './quantized-rows.ts'
import { minDimensions, SignCodes } from './sign-codes.ts'

/** Lets other work of the thread be done. */
export type Pause = () => Promise<void>

/** More are not given: by then comparing all in the database is no slower. */
const maxCandidates = 4_000

/** A bit of each for every vector: what `Sizes` counts. */
export const maxMasks = 128

/** The vectors of a collection in memory, as they are after a number of changes. */
export class CollectionVectors {
  readonly #module: WebAssembly.Module
  readonly #exactBudget: number
  readonly #rows: QuantizedRows
  readonly #slots = new Map<string, number>()
  /** By slot; a slot that is free has none. */
  readonly #textIds: (string | undefined)[] = []
  readonly #free: number[] = []
  #codes: SignCodes | undefined
  /** Those that are being made take part in changes already. */
  #making: SignCodes | undefined
  /** How many vectors there were when the last ones began to be made, and how many have come or gone since. */
  #madeOf = 0
  #changedSince = 0
  #all = new Int32Array(0)
  readonly #masks = new LRUCache<string, Mask>({ max: maxMasks })

  /** @param exactBudget components (vectors × dimensions) up to which all vectors are compared */
  constructor(module: WebAssembly.Module, dimensions: number, exactBudget: number) {
    this.#module = module
    this.#exactBudget = exactBudget
    this.#rows = new QuantizedRows(module, dimensions)
  }

  get size(): number {
    return this.#slots.size
  }

  get dimensions(): number {
    return this.#rows.dimensions
  }

  /**
   * Replaces the one of this text_id, if there is one.
   * @throws RangeError where there is no more memory, or when a vector has other dimensions
   */
  set(textId: string, vector: Float32Array): void {
    if (vector.length !== this.dimensions) throw new RangeError('a vector has other dimensions')
    const slot = this.#slots.get(textId) ?? this.#free.pop() ?? this.#textIds.length
    this.#slots.set(textId, slot)
    this.#textIds[slot] = textId
    this.#rows.set(slot, vector)
    this.#changedSince += 1
    this.#codes?.set(slot)
    this.#making?.set(slot)
    for (const mask of this.#masks.values()) mask.change(slot)
  }

  delete(textId: string): void {
    const slot = this.#slots.get(textId)
    if (slot === undefined) return
    this.#slots.delete(textId)
    this.#textIds[slot] = undefined
    this.#free.push(slot)
    this.#rows.clear(slot)
    this.#codes?.clear(slot)
    this.#making?.clear(slot)
    for (const mask of this.#masks.values()) mask.clear(slot)
    this.#changedSince += 1
  }

  /**
   * The `count` most similar, with those that may be as similar. Where `exact` is false and there are codes, all
   * vectors are compared by these, and in full only those that may be among the nearest by them.
   * @returns 'none' when the text_id is unknown, or too many are alike
   */
  candidates(request: CandidateRequest): Candidates | 'none' | 'no mask' {
    const { query: vector, count, exact } = request
    const query = this.#queryFor(vector)
    if (query === undefined) return 'none'
    const mask = request.mask === undefined ? undefined : this.#masks.get(request.mask)
    if (request.mask !== undefined && !mask?.isUseful) return 'no mask'
    const isFew = (mask?.size ?? this.size) * this.dimensions <= this.#exactBudget
    const chosen = exact || isFew ? undefined : this.#codes?.choose(query, count, mask)
    const slots = chosen ?? mask?.slots() ?? this.#allSlots()
    const nearest = nearestOf(this.#rows, query, slots, count)
    if (nearest.slots.length > maxCandidates) return 'none'
    return { ...this.#named(nearest), isExact: chosen === undefined }
  }

  /** What changes from now on may be kept by the filter; what it keeps by now will follow. */
  beginMask(key: string): void {
    this.#masks.set(key, new Mask())
  }

  fillMask(key: string, textIds: readonly string[]): void {
    this.#masks.get(key)?.fill(textIds.flatMap((textId) => this.#slots.get(textId) ?? []))
  }

  /** Whether codes would answer faster, or be better made anew, since the vectors are others. */
  needsCodes(): boolean {
    if (this.size * this.dimensions <= this.#exactBudget || this.#making !== undefined) return false
    return this.#rows.dimensions >= minDimensions && this.#changedSince > this.#madeOf
  }

  async makeCodes(pause: Pause): Promise<void> {
    this.#madeOf = this.size
    this.#changedSince = 0
    const codes = new SignCodes(this.#module, this.#rows, Int32Array.from(this.#slots.values()))
    this.#making = codes
    for (const slot of this.#textIds.keys()) {
      if (slot % 16 === 0) await pause()
      // Only now: during the pause something may have come into a slot that was free.
      if (this.#textIds[slot] === undefined) codes.clear(slot)
      else codes.set(slot)
    }
    this.#making = undefined
    this.#codes = codes
  }

  #queryFor(query: QueryVector): QuantizedQuery | undefined {
    if ('vector' in query) return queryOf(query.vector)
    const slot = this.#slots.get(query.textId)
    return slot === undefined ? undefined : this.#rows.queryFrom(slot)
  }

  #named({ slots, completeDownTo }: Nearest) {
    const textIds = slots.flatMap((slot) => this.#textIds[slot] ?? [])
    return { textIds, completeDownTo }
  }

  /** Free ones too, whose similarity is not a number. */
  #allSlots(): Int32Array {
    if (this.#all.length !== this.#textIds.length) {
      this.#all = Int32Array.from(this.#textIds, (_, slot) => slot)
    }
    return this.#all
  }
}
