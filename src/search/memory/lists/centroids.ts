import type { NumberArray } from '../files/array-file.ts'
import { blockRows, type QuantizedQuery, QuantizedRows, type Slots } from '../quantized-rows.ts'
import { sampleOf } from './spread.ts'

/** Rows for each centroid that k-means looks at, and how often. */
const sampledPerList = 30
const rounds = 6
/** A row is compared with the lists of so many groups, which gives 96 % of rows their nearest list. */
const nearGroups = 4
/** In so many steps, at most, lists are in the order of their similarity. */
const mostSteps = 4_096

/** With the similarity of each list. */
export interface NearestLists {
  readonly lists: Uint32Array
  readonly similarities: Float32Array
}

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

  /** The list of a row, and their cosine similarity. */
  nearest(rows: QuantizedRows, slot: number): { list: number; similarity: number } {
    const groups = this.begins.length - 1
    const similar = compareWith(this.#groups, groups, rows, slot)
    const { block } = this.#lists
    let count = 0
    for (let near = 0; near < Math.min(nearGroups, groups); near += 1) {
      const group = largestOf(similar, groups)
      similar[group] = Number.NEGATIVE_INFINITY
      const end = this.begins[group + 1] ?? 0
      for (let list = this.begins[group] ?? 0; list < end && count < blockRows; list += 1) {
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

  /** The lists that are the most similar to a query first; to count them takes less than half the time of sorting. */
  nearestFirst(query: QuantizedQuery): NearestLists {
    const similarities = this.similarities(query)
    const steps = Math.min(mostSteps, 4 * this.count)
    const stepOf = (list: number) =>
      Math.floor(steps * Math.min(2, Math.max(0, 1 - (similarities[list] ?? 0))))
    // How many lists come before those of each step.
    const before = new Int32Array(2 * steps + 2)
    const pass = (step: number) => {
      const lists = before[step] ?? 0
      before[step] = lists + 1
      return lists
    }
    for (let list = 0; list < this.count; list += 1) pass(stepOf(list) + 1)
    for (let step = 1; step < before.length; step += 1) {
      before[step] = (before[step] ?? 0) + (before[step - 1] ?? 0)
    }
    const lists = new Uint32Array(this.count)
    for (let list = 0; list < this.count; list += 1) lists[pass(stepOf(list))] = list
    return { lists, similarities }
  }

  /** The direction of a list, as rounded. */
  directionOf(list: number): Float32Array {
    return this.#lists.sumOf([list])
  }
}

/**
 * Centroids of about `count` lists, by k-means in two levels on a sample of the rows.
 * @param slots of rows, some of which may be emptied meanwhile
 */
export async function trainCentroids(
  rows: QuantizedRows,
  slots: Int32Array,
  count: number,
  pause: Pause,
): Promise<Centroids> {
  const sample = sampleOf(slots, sampledPerList * count)
  const groups = new QuantizedRows(rows.dimensions)
  const groupCount = Math.max(1, Math.round(Math.sqrt(count)))
  const members = await kMeans(rows, sample, groups, 0, groupCount, pause)
  const lists = new QuantizedRows(rows.dimensions)
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

/**
 * Spherical k-means.
 * @param centroids receives `count` of them, from the slot `begin` on
 * @returns the members of each
 */
async function kMeans(
  rows: QuantizedRows,
  slots: Slots,
  centroids: QuantizedRows,
  begin: number,
  count: number,
  pause: Pause,
): Promise<number[][]> {
  const seeds = sampleOf(slots, count)
  let members = Array.from({ length: count }, (_, at) => [seeds[at] ?? 0])
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, member] of members.entries()) {
      const sum = rows.sumOf(member)
      // A centroid without members stays as it is.
      if (round === 0 || sum.some((component) => component !== 0)) centroids.set(begin + i, sum)
    }
    members = Array.from({ length: count }, () => [])
    for (let at = 0; at < slots.length; at += 1) {
      if (at % 16 === 0) await pause()
      const slot = slots[at] ?? 0
      const similar = compareWith(centroids, count, rows, slot, begin)
      members[largestOf(similar, count)]?.push(slot)
    }
  }
  return members
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
  let [place, largest] = [0, values[0] ?? 0]
  for (let at = 1; at < count; at += 1) {
    const value = values[at] ?? 0
    if (value > largest) [place, largest] = [at, value]
  }
  return place
}
