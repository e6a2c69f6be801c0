import { promisedRecall } from '../../ranking.ts'
import type { ArrayReader, ArrayWriter } from '../files/array-file.ts'
import type { Mask } from '../mask.ts'
import { type FoundRow, type MemoryQuery, nearestOf, orderOf, type VectorRows } from '../nearest.ts'
import type { NearestLists } from './centroids.ts'
import { type ListRanks, listsNeeded, measureRanks } from './list-ranks.ts'
import { SignCodes } from './sign-codes.ts'

/**
 * Few lists give the first so many of a ranking, and more lists what follows, so that pages have no
 * gaps and no repeats.
 */
const levels = [16, 128]
/** A higher recall cannot be told from the results of so few probes. */
const maxMeasurable = 0.998
/** If more of the lists have to be searched, all are: their codes rule out nearly all rows. */
const maxShare = 0.6
/** A comparison by code takes this share of the time of one by 8 bits. */
const costOfCode = 0.25
/**
 * With a filter, lists are searched that have so many times as many of the nearest as should give the
 * results. If the results lie deeper, the filter keeps less near the query than elsewhere.
 */
const margin = 2
/** Estimates may count so many times as many rows as there are: the rows beyond the last result are more. */
const slack = 2
/**
 * A query that is less like the lists, or its nearest, than usual searches twice as many lists. One that is much
 * less like them has to search all.
 */
const tries = [
  { lists: 1, likeness: 1 },
  { lists: 2, likeness: 0.7 },
]

/** Codes in lists of similar vectors, of which a search reads as many as it needs, as measured. */
export class MeasuredLists {
  readonly codes: SignCodes
  readonly #rows: VectorRows
  #ranks: ListRanks | undefined

  constructor(rows: VectorRows, codes: SignCodes) {
    this.#rows = rows
    this.codes = codes
  }

  /** Reads what `write` has written. */
  static async read(
    file: ArrayReader,
    module: WebAssembly.Module,
    rows: VectorRows,
    slots: number,
  ): Promise<MeasuredLists> {
    const lists = new MeasuredLists(rows, await SignCodes.read(file, module, rows, slots))
    // A single list has none, which JSON says as null.
    lists.#ranks = (await file.json<ListRanks | null>()) ?? undefined
    return lists
  }

  async write(file: ArrayWriter, slots: number): Promise<void> {
    await this.codes.write(file, slots)
    await file.putJson(this.#ranks)
  }

  /** @param pause lets the thread do other work */
  async measure(slots: Int32Array, pause: () => Promise<void>): Promise<void> {
    this.#ranks = await measureRanks(this.#rows, this.codes, slots, pause)
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
    const all = this.codes.centroids.nearestLists(query.bytes, this.codes.centroids.count)
    const wanted = count + head.length
    const isFew = this.#shareOf(mask) < costOfCode
    const chosen = isFew ? undefined : this.codes.choose(query, wanted, all, mask)
    if (chosen === undefined && head.length === 0) return undefined
    const found = nearestOf(this.#rows, query, chosen?.slots ?? slots(), wanted)
    return found && this.#behind(head, found).slice(0, count)
  }

  #shareOf(mask: Mask | undefined): number {
    return mask === undefined ? 1 : mask.size / this.codes.size
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
    const ranks = this.#ranks
    if (ranks === undefined || minRecall > maxMeasurable) return undefined
    const share = this.#shareOf(mask)
    const most = this.codes.centroids.count * Math.min(maxShare, share / costOfCode)
    let depth = mask === undefined ? count : Math.ceil((margin * count) / share)
    for (const { lists: times, likeness } of tries) {
      // A search for new vectors finds less than the measured one, for stored vectors.
      const needed =
        times * (listsNeeded(ranks, depth, (1 + minRecall) / 2) ?? Number.POSITIVE_INFINITY)
      if (needed > most) return undefined
      const lists = this.codes.centroids.nearestLists(query.bytes, needed)
      if (lists.largest < likeness * ranks.similarity) continue
      const chosen = this.codes.choose(query, count, lists, mask)
      if (chosen === undefined) return undefined
      const found = nearestOf(this.#rows, query, chosen.slots, count)
      if (found === undefined) return undefined
      const tenth = 1 - (found[9]?.distance ?? 1)
      const isUsual = mask !== undefined || tenth >= likeness * ranks.tenth
      const isAll = times === 1 || !this.#hasLate(found, lists)
      if (isUsual && isAll && chosen.depth <= slack * times * depth) return found
      depth = Math.max(depth, chosen.depth)
    }
    return undefined
  }

  /** Whether one of the first ten is in the less similar half of the lists: then others may lie beyond. */
  #hasLate(found: readonly FoundRow[], { lists, similarities }: NearestLists): boolean {
    const ascending = Float32Array.from(lists, (list) => similarities[list] ?? 0).sort()
    const middle = ascending[ascending.length >> 1] ?? 0
    const similarityOf = ({ slot }: FoundRow) => similarities[this.codes.listOf(slot) ?? 0] ?? 0
    return found.slice(0, 10).some((row) => similarityOf(row) < middle)
  }
}
