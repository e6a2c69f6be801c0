import { LRUCache } from 'lru-cache'
import type { CandidateRequest, Candidates, QueryVector } from './candidates.ts'
import { minDimensions, SignCodes } from './codes/sign-codes.ts'
import { MeasuredGraph } from './graph/measured-graph.ts'
import { Mask } from './mask.ts'
import { nearestOf } from './nearest.ts'
import { type QuantizedQuery, QuantizedRows, queryOf } from './quantized-rows.ts'

/** Above so many times the exact budget, a graph is faster than codes. */
const budgetsForGraph = 8
/** What a filter keeps is compared in full if it is less than this share: codes compare all. */
const fewByCodes = 1 / 5

/** Whether a collection of so many vectors gets a graph. */
export const isForGraph = (
  { vectors, dimensions }: { readonly vectors: number; readonly dimensions: number },
  exactBudget: number,
) => dimensions >= minDimensions && vectors * dimensions > budgetsForGraph * exactBudget

/** With more candidates, comparing all vectors in the database is no slower. */
const maxCandidates = 4_000

/** Each mask takes a bit for every vector; `Sizes` counts them. */
export const maxMasks = 128

export class CollectionVectors {
  readonly #module: WebAssembly.Module
  readonly #exactBudget: number
  readonly #rows: QuantizedRows
  readonly #slots = new Map<string, number>()
  /** By slot; undefined for a free slot. */
  readonly #textIds: (string | undefined)[] = []
  readonly #free: number[] = []
  #codes: SignCodes | undefined
  /** Codes that are being made. They already receive changes. */
  #making: SignCodes | undefined
  /** The number of vectors when codes were last begun, and how many were set or deleted since. */
  #madeOf = 0
  #changedSince = 0
  #graph: MeasuredGraph | undefined
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
   * Adds a vector, or replaces the one of this text_id.
   * @throws RangeError if there is not enough memory, or if the vector has other dimensions
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
    this.#graph?.set(slot)
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
    this.#graph?.clear(slot)
    for (const mask of this.#masks.values()) mask.clear(slot)
    this.#changedSince += 1
  }

  /**
   * The `count` most similar, and those that may be as similar. If `exact` is false, a graph gives
   * those that are likely to be the nearest; without one, all vectors are compared by codes. Only
   * these are compared in full.
   * @returns 'none' if the text_id is unknown or too many are alike, 'no mask' if the mask is
   *   missing
   */
  candidates(request: CandidateRequest): Candidates | 'none' | 'no mask' {
    const { count, exact } = request
    const query = this.#queryFor(request.query)
    if (query === undefined) return 'none'
    const mask = request.mask === undefined ? undefined : this.#masks.get(request.mask)
    if (request.mask !== undefined && !mask?.isUseful) return 'no mask'
    const chosen = exact ? undefined : this.#choose(query, request, mask)
    const slots = chosen ?? mask?.slots() ?? this.#allSlots()
    const { slots: nearest, completeDownTo } = nearestOf(this.#rows, query, slots, count)
    if (nearest.length > maxCandidates) return 'none'
    const textIds = nearest.flatMap((slot) => this.#textIds[slot] ?? [])
    return { textIds, completeDownTo, isExact: chosen === undefined }
  }

  /** Begins a mask that includes all later changes. What the filter keeps now follows. */
  beginMask(key: string): void {
    this.#masks.set(key, new Mask())
  }

  fillMask(key: string, textIds: readonly string[]): void {
    this.#masks.get(key)?.fill(textIds.flatMap((textId) => this.#slots.get(textId) ?? []))
  }

  /** Those that have to be compared; undefined for all. */
  #choose(query: QuantizedQuery, { count, minRecall }: CandidateRequest, mask: Mask | undefined) {
    const compared = mask?.size ?? this.size
    if (compared * this.dimensions <= this.#exactBudget) return undefined
    const head = this.#graph?.choose(query, count, mask, minRecall)
    if (head?.isEnough) return head.slots
    const isFew = compared < this.size * fewByCodes
    const rest = isFew ? undefined : this.#codes?.choose(query, count, mask)
    return head === undefined ? rest : this.#behind(query, head, rest ?? mask?.slots())
  }

  /** Adds what may follow the head of a ranking, so that pages have no gaps and no repeats. */
  #behind(
    query: QuantizedQuery,
    { slots: head, last }: { readonly slots: Int32Array; readonly last: number },
    rest: Int32Array = this.#allSlots(),
  ): Int32Array {
    const similarities = this.#rows.similarities(query, rest)
    const isInHead = new Set(head)
    const behind = rest.filter((slot, at) => (similarities[at] ?? 0) <= last && !isInHead.has(slot))
    const chosen = new Int32Array(head.length + behind.length)
    chosen.set(head)
    chosen.set(behind, head.length)
    return chosen
  }

  /** Whether codes would speed up searches but are missing or outdated. */
  needsCodes(): boolean {
    if (this.size * this.dimensions <= this.#exactBudget || this.#making !== undefined) return false
    return this.#rows.dimensions >= minDimensions && this.#changedSince > this.#madeOf
  }

  /** @param pause lets the thread do other work */
  async makeCodes(pause: () => Promise<void>): Promise<void> {
    this.#madeOf = this.size
    this.#changedSince = 0
    const codes = new SignCodes(this.#module, this.#rows, Int32Array.from(this.#slots.values()))
    this.#making = codes
    for (const slot of this.#textIds.keys()) {
      if (slot % 16 === 0) await pause()
      // Read after the pause, during which a free slot may have been filled.
      if (this.#textIds[slot] === undefined) codes.clear(slot)
      else codes.set(slot)
    }
    this.#making = undefined
    this.#codes = codes
  }

  /** Whether a graph would speed up searches but is missing or outdated. */
  needsGraph(): boolean {
    if (this.#graph !== undefined) return this.#graph.needsWork()
    return isForGraph({ vectors: this.size, dimensions: this.dimensions }, this.#exactBudget)
  }

  /** @param pause lets the thread do other work */
  async makeGraph(pause: () => Promise<void>): Promise<void> {
    this.#graph ??= new MeasuredGraph(this.#rows)
    await this.#graph.work(() => this.#textIds.length, pause)
  }

  #queryFor(query: QueryVector): QuantizedQuery | undefined {
    if ('vector' in query) return queryOf(query.vector)
    const slot = this.#slots.get(query.textId)
    return slot === undefined ? undefined : this.#rows.queryFrom(slot)
  }

  /** Includes free slots, whose similarity is NaN. */
  #allSlots(): Int32Array {
    if (this.#all.length !== this.#textIds.length) {
      this.#all = Int32Array.from(this.#textIds, (_, slot) => slot)
    }
    return this.#all
  }
}
