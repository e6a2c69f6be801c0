import type { Sought, Wish } from '../../proposer.ts'
import { type Nearest, nearestOf } from './nearest.ts'
import type { Pause } from './principal-directions.ts'
import { QuantizedRows, type Query, queryOf } from './quantized-rows.ts'
import { fewestDimensions, Shortlist } from './shortlist.ts'

export interface Proposals {
  readonly textIds: readonly string[]
  /** Every embedding that is at least so similar is among them; -1 when all are. */
  readonly completeDownTo: number
  readonly isExact: boolean
}

/** More are not proposed: by then comparing all in the database is no slower. */
const maxProposals = 4_000

/** The vectors of a collection in memory, as they are after a number of changes. */
export class Collection {
  readonly #module: WebAssembly.Module
  readonly #exactBudget: number
  readonly #rows: QuantizedRows
  readonly #slots = new Map<string, number>()
  /** By slot; a slot that is free has none. */
  readonly #textIds: (string | undefined)[] = []
  readonly #free: number[] = []
  #shortlist: Shortlist | undefined
  /** One that is being learnt takes part in changes already. */
  #learning: Shortlist | undefined
  /** How many vectors there were when the last one began to be learnt, and how many have come or gone since. */
  #learntFrom = 0
  #changedSince = 0
  #all = new Int32Array(0)

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

  get components(): number {
    return this.size * this.#rows.dimensions
  }

  /** Replaces the one of this text_id, if there is one. */
  set(textId: string, vector: Float32Array): void {
    const slot = this.#slots.get(textId) ?? this.#free.pop() ?? this.#textIds.length
    this.#slots.set(textId, slot)
    this.#textIds[slot] = textId
    this.#rows.set(slot, vector)
    this.#changedSince += 1
    this.#shortlist?.set(slot)
    this.#learning?.set(slot)
  }

  delete(textId: string): void {
    const slot = this.#slots.get(textId)
    if (slot === undefined) return
    this.#slots.delete(textId)
    this.#textIds[slot] = undefined
    this.#free.push(slot)
    this.#rows.clear(slot)
    this.#shortlist?.clear(slot)
    this.#learning?.clear(slot)
    this.#changedSince += 1
  }

  /**
   * The `count` most similar, with those that may be as similar; fewer than all vectors are compared where
   * a shortlist has been learnt and `exact` is false: which ones depends on `count` and not on `countOfAll`.
   * @returns undefined when the text_id is unknown, or too many are alike
   */
  propose({ sought, count, countOfAll, exact }: Wish): Proposals | undefined {
    const query = this.#queryFor(sought)
    if (query === undefined) return undefined
    const all = this.#allSlots()
    const shortlist = exact || this.#isSmall || this.#isWorn() ? undefined : this.#shortlist
    const chosen = shortlist?.choose(query, all, count)
    const nearest = chosen
      ? nearestOf(this.#rows, query, chosen, count)
      : nearestOf(this.#rows, query, all, countOfAll)
    if (nearest.slots.length > maxProposals) return undefined
    return { ...this.#named(nearest), isExact: chosen === undefined }
  }

  /** Whether a shortlist would answer faster, or be better learnt anew. */
  needsShortlist(): boolean {
    if (this.#isSmall || this.#learning !== undefined) return false
    const enough = this.#learntFrom / (this.#isWorn() ? 32 : 4)
    return this.#rows.dimensions >= fewestDimensions && this.#changedSince > enough
  }

  async learnShortlist(pause: Pause): Promise<void> {
    this.#learntFrom = this.size
    this.#changedSince = 0
    const shortlist = await Shortlist.learn(this.#module, this.#rows, this.#occupiedSlots(), pause)
    this.#learning = shortlist
    for (const [slot, textId] of this.#textIds.entries()) {
      if (slot % 64 === 0) await pause()
      if (textId === undefined) shortlist.clear(slot)
      else shortlist.set(slot)
    }
    const isUseful = await shortlist.calibrate(this.#occupiedSlots(), pause)
    this.#learning = undefined
    this.#shortlist = isUseful ? shortlist : undefined
  }

  get #isSmall(): boolean {
    return this.components <= this.#exactBudget
  }

  #isWorn(): boolean {
    return this.#shortlist?.isWorn(this.size) === true
  }

  #queryFor(sought: Sought): Query | undefined {
    if ('vector' in sought) return queryOf(sought.vector)
    const slot = this.#slots.get(sought.textId)
    return slot === undefined ? undefined : this.#rows.queryFrom(slot)
  }

  #named({ slots, completeDownTo }: Nearest) {
    const textIds = slots.flatMap((slot) => this.#textIds[slot] ?? [])
    return { textIds, completeDownTo }
  }

  #occupiedSlots(): Int32Array {
    return Int32Array.from(this.#slots.values())
  }

  /** Free ones too, whose similarity is not a number. */
  #allSlots(): Int32Array {
    if (this.#all.length !== this.#textIds.length) {
      this.#all = Int32Array.from(this.#textIds, (_, slot) => slot)
    }
    return this.#all
  }
}
