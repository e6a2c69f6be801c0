import { grow, newMemory } from '../kernels.ts'
import { Mask } from '../mask.ts'
import type { QuantizedQuery, QuantizedRows } from '../quantized-rows.ts'
import { NearestFirst } from './nearest-first.ts'
import { Twins } from './twins.ts'

/** Bytes for each row: its links, their number, and when it was met; twice while another graph is made. */
export const graphBytes = 2 * 133
/** The most links of a row, and how many are kept when there would be more. */
const maxLinks = 32
const keptLinks = 24
/** With how many neighbours a visit goes on from removed neighbours to theirs, at most. */
const passedOn = 16
/** How many of the nearest a new row's links are chosen from, and the most that a search can find. */
const buildWidth = 64
export const maxWidth = 1_024
/** A search begins with one of so many rows, spread evenly over all. */
const perEntry = 1_024
/** A group of rows like no others is found for certain only from one of its own rows. */
const fewestEntries = 256
const mostEntries = 2_048
/** Equal rows are more similar than this, by the upper bytes of up to 16,000 components. */
const twinSimilarity = 0.9
/** The largest number that `#met` holds. */
const maxSearch = 2 ** 32 - 1

/**
 * A graph of neighbours: each row has links to rows near it, in different directions. A search goes
 * from row to row, always on from the nearest that it has found.
 * Source: Malkov and Yashunin, HNSW (arXiv 1603.09320), algorithms 2 and 4, with a single layer, which suffices
 * with so many dimensions (Munyampirwa et al., arXiv 2412.01940).
 */
export class NeighbourGraph {
  readonly #rows: QuantizedRows
  /** By slot: `maxLinks` places, of which the first are used, as `#counts` says. */
  #links = new Int32Array(0)
  /** Of the links: it grows without a copy. */
  readonly #memory = newMemory()
  #counts = new Uint8Array(0)
  /** The number of the last search that has met a row. */
  #met = new Uint32Array(0)
  #search = 0
  readonly #members = new Mask()
  readonly #twins = new Twins()
  readonly #found = new NearestFirst(maxWidth)
  /** The neighbours of one row, for the choice of its links. */
  readonly #near = new NearestFirst(maxLinks + 1)
  readonly #left = new Int32Array(maxWidth)
  readonly #leftSimilarities = new Float32Array(maxWidth)

  /** @param slots for how many there is room at once */
  constructor(rows: QuantizedRows, slots = 0) {
    this.#rows = rows
    this.#reserve(slots)
  }

  has(slot: number): boolean {
    return this.#members.has(slot) || this.#twins.has(slot)
  }

  get size(): number {
    return this.#members.size + this.#twins.size
  }

  /** One of each set of equal rows, in ascending order. */
  slots(): Int32Array {
    return this.#members.slots()
  }

  /** Rows that are equal to this one, which alone has links: there would be none left for others. */
  twinsOf(slot: number): Iterable<number> {
    return this.#twins.of(slot)
  }

  /** Links a new row to its neighbours, or one that has changed after it was removed. */
  insert(slot: number): void {
    if (this.has(slot)) return
    this.#reserve(slot + 1)
    this.#rows.beginWith(slot)
    this.#walk(buildWidth, slot)
    const twin = this.#twinAmongFound(slot)
    if (twin !== undefined) {
      this.#twins.add(slot, twin)
      return
    }
    this.#choose(slot, this.#found)
    this.#members.add(slot)
    const first = slot * maxLinks
    for (let at = first; at < first + (this.#counts[slot] ?? 0); at += 1) {
      this.#link(this.#links[at] ?? 0, slot)
    }
  }

  /**
   * The row is not found any more. Its links are still ways to others.
   * @returns its twins, which are not found any more either, until they are inserted again
   */
  remove(slot: number): Iterable<number> {
    this.#members.clear(slot)
    return this.#twins.remove(slot)
  }

  #twinAmongFound(slot: number): number | undefined {
    const { slots, similarities, size } = this.#found
    const isTwin = (other: number, place: number) =>
      (similarities[place] ?? 0) > twinSimilarity && this.#rows.areEqual(slot, other)
    return slots.subarray(0, size).find(isTwin)
  }

  /**
   * Rows that are likely to be the nearest. The next call overwrites them.
   * @param width how many of the nearest the search keeps track of
   * @param except is not found, and is no way to others
   */
  nearest(query: QuantizedQuery, width: number, except = -1): NearestFirst {
    this.#rows.begin(query)
    this.#walk(width, except)
    return this.#found
  }

  /** Fills `#found` with the nearest to what the rows are compared with. */
  #walk(width: number, except: number): void {
    if (this.#search === maxSearch) this.#met.fill(0)
    this.#search = (this.#search % maxSearch) + 1
    this.#found.clear(width)
    this.#compare(this.#enter(except))
    if (except >= 0) this.#met[except] = this.#search
    for (let slot = this.#found.visitNext(); slot >= 0; slot = this.#found.visitNext()) {
      this.#compare(this.#neighboursOf(slot))
    }
  }

  /** Fills the block with rows to begin with. @returns how many */
  #enter(except: number): number {
    const { block } = this.#rows
    const wanted = Math.floor(this.#members.size / perEntry)
    const most = Math.min(Math.max(wanted, fewestEntries), mostEntries)
    let count = 0
    for (const slot of this.#members.sample(most)) {
      this.#met[slot] = this.#search
      if (slot !== except) block[count++] = slot
    }
    return count
  }

  /** Fills the block with new neighbours, and those of removed ones. @returns how many */
  #neighboursOf(slot: number): number {
    const { block } = this.#rows
    const links = this.#links
    const counts = this.#counts
    const met = this.#met
    const search = this.#search
    const { bits } = this.#members
    const first = slot * maxLinks
    const end = first + (counts[slot] ?? 0)
    let count = 0
    for (let at = first; at < end; at += 1) {
      const near = links[at] ?? 0
      if (met[near] === search) continue
      met[near] = search
      if ((((bits[near >> 5] ?? 0) >>> (near & 31)) & 1) === 1) {
        block[count++] = near
        continue
      }
      const beyond = near * maxLinks
      const last = beyond + (counts[near] ?? 0)
      for (let next = beyond; next < last && count < passedOn; next += 1) {
        const far = links[next] ?? 0
        if (met[far] === search || (((bits[far >> 5] ?? 0) >>> (far & 31)) & 1) === 0) continue
        met[far] = search
        block[count++] = far
      }
    }
    return count
  }

  /** Adds the first rows of the block to what is found. */
  #compare(count: number): void {
    if (count === 0) return
    const similarities = this.#rows.compare(count)
    const { block } = this.#rows
    for (let at = 0; at < count; at += 1) this.#found.add(block[at] ?? 0, similarities[at] ?? 0)
  }

  /** Links a row to another one. If it has too many links, it keeps the best of them. */
  #link(slot: number, to: number): void {
    const first = slot * maxLinks
    const count = this.#counts[slot] ?? 0
    for (let at = first; at < first + count; at += 1) if (this.#links[at] === to) return
    if (count < maxLinks) {
      this.#links[first + count] = to
      this.#counts[slot] = count + 1
      return
    }
    const { block } = this.#rows
    block.set(this.#links.subarray(first, first + count))
    block[count] = to
    this.#rows.beginWith(slot)
    const similarities = this.#rows.compare(count + 1)
    this.#near.clear(count + 1)
    for (let at = 0; at <= count; at += 1) {
      const near = block[at] ?? 0
      if (this.#members.has(near)) this.#near.add(near, similarities[at] ?? 0)
    }
    this.#choose(slot, this.#near)
  }

  /** Links a row to those of `near` that are not nearer to one that is linked already. */
  #choose(slot: number, near: NearestFirst): void {
    const { block } = this.#rows
    const left = this.#left
    const similarity = this.#leftSimilarities
    let size = near.size
    left.set(near.slots.subarray(0, size))
    similarity.set(near.similarities.subarray(0, size))
    let chosen = 0
    while (size > 0 && chosen < keptLinks) {
      const nearest = left[0] ?? 0
      this.#links[slot * maxLinks + chosen] = nearest
      chosen += 1
      block.set(left.subarray(1, size))
      this.#rows.beginWith(nearest)
      const toNearest = this.#rows.compare(size - 1)
      let kept = 0
      for (let at = 1; at < size; at += 1) {
        if ((toNearest[at - 1] ?? 0) >= (similarity[at] ?? 0)) continue
        left[kept] = left[at] ?? 0
        similarity[kept] = similarity[at] ?? 0
        kept += 1
      }
      size = kept
    }
    this.#counts[slot] = chosen
  }

  /** @throws RangeError if there is not enough memory */
  #reserve(rows: number): void {
    const present = this.#counts.length
    if (rows <= present) return
    const wanted = Math.max(rows, Math.ceil(present * 1.125), 1_024)
    grow(this.#memory, 4 * wanted * maxLinks)
    this.#links = new Int32Array(this.#memory.buffer)
    this.#counts = copiedTo(new Uint8Array(wanted), this.#counts)
    this.#met = copiedTo(new Uint32Array(wanted), this.#met)
  }
}

function copiedTo<Numbers extends Uint8Array | Uint32Array>(larger: Numbers, from: Numbers) {
  larger.set(from)
  return larger
}
