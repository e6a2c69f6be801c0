import type { NumberArray } from '../files/array-file.ts'
import { LargestLists } from '../largest-lists.ts'
import { blockRows, type QuantizedQuery, QuantizedRows } from '../quantized-rows.ts'
import { spread } from './spread.ts'

/** Rows for each centroid that k-means looks at, and how often. */
const sampledPerList = 30
const rounds = 6
/** A row is compared with the lists of so many groups, which gives 96 % of rows their nearest list. */
const nearGroups = 4

/** Lets the thread do other work. */
type Pause = () => Promise<void>

/**
 * Directions that stand for lists of vectors, in groups, so that the list of a vector is found by
 * comparing it with few of them.
 */
export class Centroids {
  readonly #lists: QuantizedRows
  readonly #groups: QuantizedRows
  /** Where the lists of a group begin; the last is the number of lists. */
  readonly begins: readonly number[]
  readonly #all: Int32Array

  constructor(lists: QuantizedRows, groups: QuantizedRows, begins: readonly number[]) {
    this.#lists = lists
    this.#groups = groups
    this.begins = begins
    this.#all = Int32Array.from({ length: begins.at(-1) ?? 0 }, (_, list) => list)
  }

  get count(): number {
    return this.#all.length
  }

  /** What a file holds, and what is filled from it. */
  arrays(): readonly NumberArray[] {
    return [...this.#lists.arrays(this.count), ...this.#groups.arrays(this.begins.length - 1)]
  }

  /** The list of a row. */
  listOf(rows: QuantizedRows, slot: number): number {
    return this.#nearest(rows, slot).list
  }

  /** The cosine similarity of a row with its list. */
  similarityOf(rows: QuantizedRows, slot: number): number {
    return this.#nearest(rows, slot).similarity
  }

  #nearest(rows: QuantizedRows, slot: number) {
    const near = new LargestLists(1, nearGroups, Float64Array)
    const similar = compareWith(this.#groups, this.begins.length - 1, rows, slot)
    for (let group = 0; group < this.begins.length - 1; group += 1) {
      near.add(0, similar[group] ?? 0, group)
    }
    const { block } = this.#lists
    let count = 0
    for (const group of near.keysOf(0)) {
      for (let list = this.begins[group] ?? 0; list < (this.begins[group + 1] ?? 0); list += 1) {
        if (count === blockRows) break
        block[count] = list
        count += 1
      }
    }
    this.#lists.beginWith(rows, slot)
    const similarities = this.#lists.compare(count)
    const at = largestOf(similarities, count)
    return { list: block[at] ?? 0, similarity: similarities[at] ?? 0 }
  }

  /** The cosine similarity of each list with a query. */
  similarities(query: QuantizedQuery): Float32Array {
    return this.#lists.similarities(query, this.#all)
  }

  /** The direction of a list, as rounded. */
  directionOf(list: number): Float64Array {
    const direction = new Float64Array(this.#lists.dimensions)
    this.#lists.addTo(direction, list)
    return direction
  }
}

/**
 * Centroids of about `count` lists, by k-means in two levels on a sample of the rows.
 * @param slots of rows, some of which may be emptied meanwhile
 */
export async function trainCentroids(
  module: WebAssembly.Module,
  rows: QuantizedRows,
  slots: Int32Array,
  count: number,
  pause: Pause,
): Promise<Centroids> {
  const sample = sampleOf(slots, sampledPerList * count)
  const groups = new QuantizedRows(module, rows.dimensions)
  const groupCount = Math.max(1, Math.round(Math.sqrt(count)))
  const members = await kMeans(rows, sample, groups, 0, groupCount, pause)
  const lists = new QuantizedRows(module, rows.dimensions)
  const begins = [0]
  for (const member of members) {
    const begin = begins.at(-1) ?? 0
    // Of many equal vectors, one group may have nearly all.
    const part = (count * member.length) / Math.max(1, sample.length)
    const share = Math.min(blockRows, 4 * groupCount, Math.max(1, Math.round(part)))
    await kMeans(rows, member, lists, begin, share, pause)
    begins.push(begin + share)
  }
  return new Centroids(lists, groups, begins)
}

function sampleOf(slots: Int32Array, most: number): Int32Array {
  if (slots.length <= most) return slots
  const sample = new Int32Array(most)
  let at = 0
  for (const place of spread(slots.length)) {
    if (at === most) break
    sample[at] = slots[place] ?? 0
    at += 1
  }
  return sample
}

/**
 * Spherical k-means.
 * @param centroids receives `count` of them, from the slot `begin` on
 * @returns the members of each
 */
async function kMeans(
  rows: QuantizedRows,
  slots: Int32Array,
  centroids: QuantizedRows,
  begin: number,
  count: number,
  pause: Pause,
): Promise<Int32Array[]> {
  const sums = Array.from({ length: count }, () => new Float64Array(rows.dimensions))
  const seeds = sampleOf(slots, count)
  for (let i = 0; i < count; i += 1) rows.addTo(sums[i] ?? new Float64Array(), seeds[i] ?? 0)
  const nearest = new Int32Array(slots.length)
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, sum] of sums.entries()) {
      // A row that was emptied is NaN. A centroid without members stays as it is.
      if (!sum.every(Number.isFinite)) sum.fill(0)
      const isEmpty = sum.every((component) => component === 0)
      if (!isEmpty || round === 0) centroids.set(begin + i, Float32Array.from(sum))
      sum.fill(0)
    }
    for (const [at, slot] of slots.entries()) {
      if (at % 16 === 0) await pause()
      const similar = compareWith(centroids, count, rows, slot, begin)
      const list = largestOf(similar, count)
      nearest[at] = list
      const sum = sums[list]
      if (sum !== undefined && !Number.isNaN(similar[list])) rows.addTo(sum, slot)
    }
  }
  return sums.map((_, list) => slots.filter((_, at) => nearest[at] === list))
}

/** The similarities of a row with `count` successive centroids; the next comparison overwrites them. */
function compareWith(
  centroids: QuantizedRows,
  count: number,
  rows: QuantizedRows,
  slot: number,
  begin = 0,
): Float32Array {
  const { block } = centroids
  for (let i = 0; i < count; i += 1) block[i] = begin + i
  centroids.beginWith(rows, slot)
  return centroids.compare(count)
}

function largestOf(values: Float32Array, count: number): number {
  let largest = 0
  for (let at = 1; at < count; at += 1) {
    if ((values[at] ?? 0) > (values[largest] ?? 0)) largest = at
  }
  return largest
}
