import { promisedRecall } from '../../ranking.ts'
import type { Mask } from '../mask.ts'
import type { QuantizedQuery, QuantizedRows } from '../quantized-rows.ts'
import { type Measured, measuredNearest, measureGraph, widths } from './measure.ts'
import { maxWidth, NeighbourGraph } from './neighbour-graph.ts'
import { spread } from './spread.ts'

/**
 * Further down a ranking a wider search finds the results, behind those of this many: so that pages
 * have no gaps and no repeats.
 */
const levels = [12, 32, 128]
/** The width for each result, so that recall far down a page is no less: measured with 10 to 100. */
const widthPerResult = 6
/** With a filter, so many times as many results are expected among the nearest that it chooses from. */
const expectedWithFilter = 1.3
/** A higher recall cannot be told from the results of so few searches. */
const maxMeasurable = 0.998
/** So many changed vectors are compared one by one until they are linked. */
const maxChanged = 20_000
/** All rows are linked anew when this share of them was changed or deleted. */
const maxWorn = 1 / 5
/** The recall is measured again when the graph has grown by this factor. */
const measuredGrowth = 1.5

interface Found {
  readonly slot: number
  readonly similarity: number
}

/** The head of a ranking, or all that was asked for. */
interface Chosen {
  readonly slots: Int32Array
  /** Whether there are as many as were asked for. */
  readonly isEnough: boolean
  /** If not, what follows is no more similar than this. */
  readonly last: number
}

/**
 * A graph that knows its recall. It is made in the background, row by row. Changes count at once:
 * rows that are not linked yet are compared besides.
 */
export class MeasuredGraph {
  readonly #rows: QuantizedRows
  #graph: NeighbourGraph
  /** A new graph that is being made. */
  #next: NeighbourGraph | undefined
  /** Rows that have changed and are not linked yet. */
  readonly #changed = new Set<number>()
  /** How many linked rows were changed or deleted since all were linked. */
  #worn = Number.POSITIVE_INFINITY
  #measured: Measured | undefined

  constructor(rows: QuantizedRows) {
    this.#rows = rows
    this.#graph = new NeighbourGraph(rows)
  }

  /** Call this when a slot has received a vector. */
  set(slot: number): void {
    this.clear(slot)
    this.#changed.add(slot)
  }

  /** Call this when a slot was emptied. */
  clear(slot: number): void {
    for (const graph of [this.#graph, this.#next]) {
      if (graph?.has(slot) !== true) continue
      this.#worn += 1
      for (const twin of graph.remove(slot)) this.#changed.add(twin)
    }
    this.#changed.delete(slot)
  }

  /**
   * Rows that are likely to be the nearest, of all or of those in a mask.
   * @param minRecall required recall@10; undefined for the default
   * @returns undefined if the graph does not reach the recall
   */
  choose(
    query: QuantizedQuery,
    count: number,
    mask: Mask | undefined,
    minRecall = promisedRecall,
  ): Chosen | undefined {
    const width = this.#widthFor(minRecall)
    if (width === undefined || this.#changed.size > maxChanged) return undefined
    const share = mask && mask.size / this.#graph.size
    let found: Found[] = []
    let head = 0
    for (const level of levels) {
      found = found.slice(0, head)
      for (const each of widthsOf(level, width, share)) {
        if (found.length < level) found = this.#walk(query, each, mask, found.slice(0, head))
      }
      if (found.length < level) break
      if (level >= count) return { isEnough: true, ...this.#withChanged(found, mask) }
      head = level
    }
    return head === 0
      ? undefined
      : { isEnough: false, ...this.#withChanged(found.slice(0, head), mask) }
  }

  /** What a search finds behind the head of a ranking. */
  #walk(
    query: QuantizedQuery,
    width: number,
    mask: Mask | undefined,
    head: readonly Found[],
  ): Found[] {
    const { slots, similarities, size } = this.#graph.nearest(query, width)
    const tenth = similarities[Math.min(measuredNearest, size) - 1] ?? 0
    if (tenth < (this.#measured?.usual ?? 0)) return []
    // A filter may leave out the nearest, and further away more is missed.
    const trusted = mask === undefined ? size : Math.floor(size / widthPerResult)
    const last = head.at(-1)?.similarity ?? Number.POSITIVE_INFINITY
    const isInHead = new Set(head.map(({ slot }) => slot))
    const found = [...head]
    for (let place = 0; place < trusted; place += 1) {
      const similarity = similarities[place] ?? 0
      if (similarity > last) continue
      const linked = slots[place] ?? 0
      for (const slot of [linked, ...this.#graph.twinsOf(linked)]) {
        const isKept = mask === undefined || mask.has(slot)
        if (isKept && !isInHead.has(slot)) found.push({ slot, similarity })
      }
    }
    return found
  }

  /** With the rows that are not linked yet. */
  #withChanged(found: readonly Found[], mask: Mask | undefined) {
    const slots = new Set(found.map(({ slot }) => slot))
    for (const slot of this.#changed) if (mask === undefined || mask.has(slot)) slots.add(slot)
    return { slots: Int32Array.from(slots), last: found.at(-1)?.similarity ?? 0 }
  }

  needsWork(): boolean {
    return this.#changed.size > 0 || this.#isWorn() || this.#hasOutgrown()
  }

  /**
   * Links what is not linked; makes another graph after many changes, or measures the recall of a
   * grown one.
   * @param slots gives the number of slots in use, from the first on; some may be empty
   * @param pause lets the thread do other work
   */
  async work(slots: () => number, pause: () => Promise<void>): Promise<void> {
    for (const slot of this.#changed) {
      await pause()
      // It may have been emptied meanwhile.
      if (this.#changed.delete(slot)) this.#graph.insert(slot)
    }
    if (this.#isWorn()) {
      this.#worn = 0
      const next = await this.#linked(slots(), pause)
      this.#measured = await measureGraph(next, this.#rows, pause)
      this.#next = undefined
      this.#graph = next
    } else if (this.#hasOutgrown())
      this.#measured = await measureGraph(this.#graph, this.#rows, pause)
  }

  async #linked(slots: number, pause: () => Promise<void>): Promise<NeighbourGraph> {
    const graph = new NeighbourGraph(this.#rows, slots)
    this.#next = graph
    for (const slot of spread(slots)) {
      await pause()
      // What has changed is linked afterwards.
      if (!this.#rows.isEmpty(slot) && !this.#changed.has(slot)) graph.insert(slot)
    }
    return graph
  }

  #isWorn(): boolean {
    return this.#worn > this.#graph.size * maxWorn
  }

  #hasOutgrown(): boolean {
    return this.#graph.size > (this.#measured?.size ?? 0) * measuredGrowth
  }

  /** The least width that is known to reach a recall. */
  #widthFor(minRecall: number): number | undefined {
    if (minRecall > maxMeasurable) return undefined
    // A search for new vectors finds less than the measured one, for stored vectors.
    const wanted = (1 + minRecall) / 2
    return widths[this.#measured?.recalls.findIndex((recall) => recall >= wanted) ?? -1]
  }
}

/** How widely to search, and if that does not give so many results. @param share what a filter keeps */
function widthsOf(results: number, least: number, share?: number): number[] {
  const width = Math.max(least, widthPerResult * results)
  if (share === undefined) return width > maxWidth ? [] : [width]
  const fewest = (widthPerResult * results) / share
  if (fewest > maxWidth) return []
  const expected = Math.ceil(Math.max(width, expectedWithFilter * fewest))
  return expected < maxWidth ? [expected, maxWidth] : [maxWidth]
}
