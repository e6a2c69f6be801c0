import { LargestLists } from '../largest-lists.ts'
import { queryFrom, type VectorRows } from '../nearest.ts'
import type { SignCodes } from './sign-codes.ts'
import { sampleOf } from './spread.ts'

/** Stored vectors that are searched for as if they were not stored. */
const probes = 200
const depth = 10
/** So few rows remain in a cache of the processor while they are compared with all probes. */
const rowsAtOnce = 512

/**
 * Looks up which lists have the nearest of stored vectors, by 8 bits per component. What is in the
 * first lists does not count: near-duplicates would hide where the nearest of other texts are.
 * @param pause lets the thread do other work
 * @returns how much less similar than the tenth nearest the centroids of these lists are, ascending
 */
export async function measureGaps(
  rows: VectorRows,
  codes: SignCodes,
  slots: Int32Array,
  pause: () => Promise<void>,
): Promise<number[]> {
  const probed = sampleOf(slots, probes)
  const queries = Array.from(probed, (slot) => queryFrom(rows.floats.of(slot)))
  const nearest = new LargestLists(queries.length, depth + 1, Float64Array)
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
  const gaps: number[] = []
  for (const [probe, query] of queries.entries()) {
    await pause()
    const { keys, values } = nearest.sorted(probe)
    const tenth = values[depth] ?? 0
    const { lists, similarities } = codes.centroids.nearestFirst(query.bytes)
    const first = new Set<number | undefined>(lists.subarray(0, codes.firstLists))
    for (const slot of keys) {
      const list = codes.listOf(slot)
      // What was changed meanwhile says nothing.
      if (list === undefined || slot === probed[probe] || first.has(list)) continue
      gaps.push(tenth - codes.length * (similarities[list] ?? 0))
    }
  }
  return gaps.sort((a, b) => a - b)
}
