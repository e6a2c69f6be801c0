import { nearestOf } from '../nearest.ts'
import { blockRows, type QuantizedRows } from '../quantized-rows.ts'
import type { NeighbourGraph } from './neighbour-graph.ts'
import { spread } from './spread.ts'

/** Widths of the search whose recall is measured. */
export const widths = [96, 144, 216, 324, 486, 729]
/** Stored vectors that are searched for as if they were not stored. */
const probes = 200
export const measuredNearest = 10
/**
 * The share of the probes that are further from their tenth nearest than a usual query is. A query
 * unlike the stored vectors finds less: for glosses among verses 0.93 instead of 0.997.
 */
const unusual = 0.02

export interface Measured {
  readonly size: number
  /** Recall@10 of each of the `widths`. */
  readonly recalls: readonly number[]
  /** The tenth nearest of a usual query is at least this similar. */
  readonly usual: number
}

/**
 * The recall of a graph, against the comparison with all rows.
 * @param pause lets the thread do other work
 */
export async function measureGraph(
  graph: NeighbourGraph,
  rows: QuantizedRows,
  pause: () => Promise<void>,
): Promise<Measured> {
  const slots = graph.slots()
  const found = widths.map(() => 0)
  const tenths: number[] = []
  let sought = 0
  let probed = 0
  for (const at of spread(slots.length)) {
    if (probed === probes) break
    probed += 1
    const slot = slots[at] ?? 0
    const nearest = await nearestTo(rows, slot, slots, pause)
    const hits: number[] = []
    for (const width of widths) {
      await pause()
      const near = graph.nearest(rows.queryFrom(slot), width, slot)
      const met = new Set(near.slots.subarray(0, near.size))
      hits.push(nearest.filter((each) => met.has(each)).length)
    }
    // What was changed meanwhile says nothing.
    if (![slot, ...nearest].every((each) => graph.has(each))) continue
    for (const [which, count] of hits.entries()) found[which] = (found[which] ?? 0) + count
    sought += nearest.length
    const similarities = rows.preciseSimilarities(rows.queryFrom(slot), Int32Array.from(nearest))
    tenths.push(Math.min(...similarities))
  }
  const usual = tenths.sort((a, b) => a - b)[Math.floor(unusual * tenths.length)] ?? 0
  return { size: graph.size, recalls: found.map((each) => each / sought), usual }
}

/** The ten nearest of a row among these, and those that may be as near. */
async function nearestTo(
  rows: QuantizedRows,
  slot: number,
  slots: Int32Array,
  pause: () => Promise<void>,
): Promise<number[]> {
  const nearestAmong = (some: Int32Array) =>
    nearestOf(rows, rows.queryFrom(slot), some, measuredNearest + 1).slots
  const candidates: number[] = []
  for (let first = 0; first < slots.length; first += blockRows) {
    await pause()
    candidates.push(...nearestAmong(slots.subarray(first, first + blockRows)))
  }
  return nearestAmong(Int32Array.from(candidates)).filter((each) => each !== slot)
}
