import { LargestLists } from './largest-lists.ts'
import type { QuantizedQuery, QuantizedRows } from './quantized-rows.ts'

/** How far the similarities here and those of results may be from the true ones by rounding. */
const noise = 2e-6

export interface Nearest {
  /** The slots of all rows that may be among the nearest, in no particular order. */
  readonly slots: readonly number[]
  /** All rows at least this similar are included; -1 if all rows are. */
  readonly completeDownTo: number
}

/**
 * The `count` nearest of `slots`, and all others that the rounding errors do not rule out. Rows are
 * compared with 8 bits per component first, and the remaining ones with 16.
 */
export function nearestOf(
  rows: QuantizedRows,
  query: QuantizedQuery,
  slots: Int32Array,
  count: number,
): Nearest {
  const similarities = rows.similarities(query, slots)
  const coarse = atLeastTheLast(
    slots,
    similarities,
    count,
    rows.largestErrorOf(query) + noise,
    (slot) => rows.errorOf(slot, query) + noise,
  )
  const candidates = Int32Array.from(coarse.slots)
  const precise = rows.preciseSimilarities(query, candidates)
  const fine = atLeastTheLast(
    candidates,
    precise,
    count,
    Number.POSITIVE_INFINITY,
    (slot) => rows.preciseErrorOf(slot, query) + noise,
  )
  return {
    slots: fine.slots,
    completeDownTo: Math.max(coarse.completeDownTo, fine.completeDownTo),
  }
}

/** All rows whose similarity may reach a value that at least `count` rows are sure to reach. */
function atLeastTheLast(
  slots: Int32Array,
  similarities: Float32Array,
  count: number,
  largestError: number,
  errorOf: (slot: number) => number,
): Nearest {
  const largest = new LargestLists(1, Math.min(count, slots.length), Float64Array)
  let minKept = Number.NEGATIVE_INFINITY
  for (let i = 0; i < slots.length; i += 1) {
    const similarity = similarities[i] ?? 0
    // Most rows are far away. Skipping them saves looking up their errors.
    if (similarity <= minKept) continue
    const slot = slots[i] ?? 0
    const least = similarity - errorOf(slot)
    if (least > minKept) minKept = largest.add(0, least, slot)
  }
  const isFull = count <= slots.length && minKept > Number.NEGATIVE_INFINITY
  const last = isFull ? minKept : -1
  const found: number[] = []
  for (let i = 0; i < slots.length; i += 1) {
    const similarity = similarities[i] ?? 0
    if (similarity + largestError < last) continue
    const slot = slots[i] ?? 0
    if (similarity + errorOf(slot) >= last) found.push(slot)
  }
  return { slots: found, completeDownTo: last }
}
