import { LargestLists } from '../largest-lists.ts'
import { queryFrom, type VectorRows } from '../nearest.ts'
import type { SignCodes } from './sign-codes.ts'
import { sampleOf } from './spread.ts'

/** Stored vectors that are searched for as if they were not stored. */
const probes = 200
/** How far down their rankings, counted from 1. */
const depths = [10, 100, 1_000]
/** So few rows remain in a cache of the processor while they are compared with all probes. */
const rowsAtOnce = 512
/**
 * The share of the probes that are less like any list, or further from their tenth nearest, than a
 * usual query is. A query unlike the stored vectors finds less.
 */
const unusual = 0.02

/** How many lists have to be searched, as measured. */
export interface ListRanks {
  /** For each of the depths, the ranks of the lists that have the nearest, ascending, from 1. */
  readonly ranks: readonly (readonly number[])[]
  /** A usual query is this similar to a list. */
  readonly similarity: number
  /** The tenth nearest of a usual query is at least this similar. */
  readonly tenth: number
}

/**
 * Looks up which lists have the nearest of stored vectors, by 8 bits per component.
 * @param pause lets the thread do other work
 */
export async function measureRanks(
  rows: VectorRows,
  codes: SignCodes,
  slots: Int32Array,
  pause: () => Promise<void>,
): Promise<ListRanks> {
  const found: number[][] = depths.map(() => [])
  const firsts: number[] = []
  const tenths: number[] = []
  const probed = sampleOf(slots, probes)
  const queries = Array.from(probed, (slot) => queryFrom(rows.floats.of(slot)))
  const nearest = new LargestLists(queries.length, (depths.at(-1) ?? 0) + 1, Float64Array)
  const least = queries.map(() => Number.NEGATIVE_INFINITY)
  for (let first = 0; first < slots.length; first += rowsAtOnce) {
    const some = slots.subarray(first, first + rowsAtOnce)
    for (const [probe, query] of queries.entries()) {
      await pause()
      const similarities = rows.bytes.similarities(query.bytes, some)
      let reached = least[probe] ?? 0
      for (let i = 0; i < some.length; i += 1) {
        const similarity = similarities[i] ?? 0
        // Those of free slots are NaN.
        if (similarity > reached) reached = nearest.add(probe, similarity, some[i] ?? 0)
      }
      least[probe] = reached
    }
  }
  for (const [probe, query] of queries.entries()) {
    await pause()
    const { keys, values } = nearest.sorted(probe)
    const others = keys.filter((slot) => slot !== probed[probe])
    const similar = codes.centroids.similarities(query.bytes)
    const ranked = Float32Array.from(similar).sort()
    for (const [which, depth] of depths.entries()) {
      for (const slot of others.subarray(0, depth)) {
        // What was changed meanwhile says nothing.
        const list = codes.listOf(slot)
        if (list !== undefined) found[which]?.push(rankIn(ranked, similar[list] ?? 0))
      }
    }
    firsts.push(ranked.at(-1) ?? 0)
    tenths.push(values[10] ?? 0)
  }
  const usual = (values: number[]) =>
    values.sort((a, b) => a - b)[Math.floor(unusual * values.length)] ?? 0
  return {
    ranks: found.map((ranks) => ranks.sort((a, b) => a - b)),
    similarity: usual(firsts),
    tenth: usual(tenths),
  }
}

/** How many of the ascending numbers are at least as large as one of them. */
function rankIn(ascending: Float32Array, value: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return ascending.length - low
}

/**
 * How many of the most similar lists have the share `recall` of the nearest, down to a depth.
 * @returns undefined beyond the measured depths
 */
export function listsNeeded(
  { ranks }: ListRanks,
  depth: number,
  recall: number,
): number | undefined {
  const needed = ranks.map((each) => each[Math.ceil(recall * each.length) - 1] ?? 0)
  const next = depths.findIndex((measured) => measured >= depth)
  if (next === -1) return undefined
  if (next === 0) return needed[0]
  const [from, to] = [depths[next - 1] ?? 1, depths[next] ?? 1]
  const part = Math.log(depth / from) / Math.log(to / from)
  const [less, more] = [needed[next - 1] ?? 0, needed[next] ?? 0]
  return Math.ceil(less + part * (more - less))
}
