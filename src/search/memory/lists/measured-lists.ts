import { promisedRecall } from '../../ranking.ts'
import type { ArrayReader, ArrayWriter } from '../files/array-file.ts'
import type { Mask } from '../mask.ts'
import { type FoundRow, type MemoryQuery, nearestOf, orderOf, type VectorRows } from '../nearest.ts'
import { measureGaps } from './list-gaps.ts'
import { type ListEffort, SignCodes } from './sign-codes.ts'

/**
 * Few lists give the first so many of a ranking, and more lists what follows, so that pages have no
 * gaps and no repeats.
 */
const levels = [16, 128]
/** A higher recall cannot be told from the results of so few probes. */
const maxMeasurable = 0.998
/** Fewer gaps say too little: nearly all that is stored is there many times. */
const fewestGaps = 100
/**
 * Rows of another kind than those with which the lists were made may lie anywhere. If more than `mostFar` of the
 * first ten have lists that are further than `nearShare` of the measured ones, lists are read that are `further`
 * than usual; if any of the ten is in one of these, all are.
 */
const nearShare = 0.9
const mostFar = 2
const further = 0.1
/** A comparison by code takes this share of the time of one by 8 bits. */
const costOfCode = 0.25
/** An estimate is off by more than this in one of 4,300 cases, which the recall allows. */
const usualErrors = 3.5

/** Codes in lists of similar vectors. Of many lists, a search reads as many as it needs, as measured. */
export class MeasuredLists {
  readonly codes: SignCodes
  readonly #rows: VectorRows
  /** From `measureGaps`; none if all lists are read. */
  #gaps: readonly number[] = []

  constructor(rows: VectorRows, codes: SignCodes) {
    this.#rows = rows
    this.codes = codes
  }

  /** Reads what `write` has written. */
  static async read(file: ArrayReader, rows: VectorRows, slots: number): Promise<MeasuredLists> {
    const lists = new MeasuredLists(rows, await SignCodes.read(file, rows, slots))
    lists.#gaps = await file.json()
    return lists
  }

  async write(file: ArrayWriter, slots: number): Promise<void> {
    await this.codes.write(file, slots)
    await file.putJson(this.#gaps)
  }

  /** @param pause lets the thread do other work */
  async measure(slots: Int32Array, pause: () => Promise<void>): Promise<void> {
    this.#gaps = await measureGaps(this.#rows, this.codes, slots, pause)
  }

  /**
   * The nearest of all rows or of those in a mask, nearest first.
   * @param minRecall required recall@10; undefined for the default
   * @param slots gives all rows, or those in the mask
   * @returns undefined if comparing all takes no longer
   */
  nearest(
    query: MemoryQuery,
    count: number,
    mask: Mask | undefined,
    minRecall = promisedRecall,
    slots: () => Int32Array,
  ): FoundRow[] | undefined {
    let head: FoundRow[] = []
    for (const level of levels) {
      const found = this.#likely(query, level + head.length, mask, minRecall)
      if (found === undefined || found.length < level) break
      head = this.#behind(head, found).slice(0, level)
      if (head.length >= count) return head.slice(0, count)
    }
    const wanted = count + head.length
    const isFew = mask !== undefined && mask.size < costOfCode * this.codes.size
    const chosen = isFew ? undefined : this.codes.choose(query, wanted, { mask })
    if (chosen === undefined && head.length === 0) return undefined
    const found = nearestOf(this.#rows, query, chosen?.slots ?? slots(), wanted)
    return found && this.#behind(head, found).slice(0, count)
  }

  /** A head of a ranking, and what follows it. */
  #behind(head: readonly FoundRow[], found: readonly FoundRow[]): FoundRow[] {
    const last = head.at(-1)
    if (last === undefined) return [...found]
    const order = orderOf(this.#rows)
    return [...head, ...found.filter((each) => order(each, last) > 0)]
  }

  /**
   * The nearest from as many lists as they need.
   * @returns undefined if that takes longer than comparing all, or if the lists may lack some
   */
  #likely(
    query: MemoryQuery,
    count: number,
    mask: Mask | undefined,
    minRecall: number,
  ): FoundRow[] | undefined {
    if (this.#gaps.length < fewestGaps || minRecall > maxMeasurable) return undefined
    // By this much of the nearest beyond the first lists, and by all that are in these.
    const gap = this.#gapOf(minRecall)
    const maxRows = mask && mask.size / costOfCode
    const effort = { mask, maxRows, errors: usualErrors }
    const usual = this.#within(query, count, { ...effort, gap })
    if (usual === undefined) return undefined
    if (usual.tenHaving(this.#gapOf(nearShare)) <= mostFar) return usual.found
    const more = this.#within(query, count, { ...effort, gap: gap + further })
    return more?.tenHaving(gap) === 0 ? more.found : undefined
  }

  #gapOf(share: number): number {
    return this.#gaps[Math.ceil(share * this.#gaps.length) - 1] ?? 0
  }

  /** The nearest of the lists with at most a gap, and how many of the first ten have a larger one than another. */
  #within(query: MemoryQuery, count: number, effort: ListEffort) {
    const chosen = this.codes.choose(query, count, effort)
    if (chosen === undefined) return undefined
    const found = nearestOf(this.#rows, query, chosen.slots, count)
    if (found === undefined) return undefined
    const ten = found.slice(0, 10)
    const tenth = 1 - (ten.at(-1)?.distance ?? 0)
    const tenHaving = (gap: number) =>
      ten.filter(({ slot }) => tenth - chosen.listSimilarity(slot) > gap).length
    return { found, tenHaving }
  }
}
