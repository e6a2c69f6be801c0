import type { FloatRows, UnitVector } from './float-rows.ts'
import { LargestLists } from './largest-lists.ts'
import type { Mask } from './mask.ts'
import { type QuantizedQuery, type QuantizedRows, queryOf } from './quantized-rows.ts'

/** How far similarities of 8 bits may be from the true ones besides, by rounding in float32. */
const noise = 2e-6
/** The head of a ranking is looked for among no more than these. With more, so many are alike. */
const maxCompared = 20_000

/** Vectors in both forms. */
export interface VectorRows {
  readonly bytes: QuantizedRows
  readonly floats: FloatRows
  /** The order of two slots whose vectors are equally far. */
  readonly tieOrder: (slot: number, other: number) => number
}

/** A query in both forms. */
export interface MemoryQuery {
  readonly bytes: QuantizedQuery
  readonly unit: UnitVector
}

export interface FoundRow {
  readonly slot: number
  /** Cosine distance. */
  readonly distance: number
}

/**
 * The `count` nearest of `slots` and all others as near as the last, nearest first. Rows are
 * compared with 8 bits per component first; float32 decides between those that this leaves.
 * @returns undefined if it leaves too many
 */
export function nearestOf(
  rows: VectorRows,
  query: MemoryQuery,
  slots: Int32Array,
  count: number,
): FoundRow[] | undefined {
  const similarities = rows.bytes.similarities(query.bytes, slots)
  const candidates = mayBeAmong(rows, query, slots, similarities, count)
  if (candidates === undefined) return undefined
  const found: FoundRow[] = []
  const best = new LargestLists(1, Math.min(count, slots.length), Float64Array)
  let furthest = Number.POSITIVE_INFINITY
  for (const at of candidates) {
    const slot = slots[at] ?? 0
    // Most are ruled out by those before, which 8 bits have found nearer.
    const least = 1 - (similarities[at] ?? 0) - rows.bytes.errorOf(slot, query.bytes) - noise
    if (least > furthest) continue
    const distance = rows.floats.distance(query.unit, slot)
    if (distance > furthest) continue
    furthest = -best.add(0, -distance, slot)
    found.push({ slot, distance })
  }
  const order = orderOf(rows)
  return found.filter(({ distance }) => distance <= furthest).sort(order)
}

/** What is counted: all that are at most so far. */
export interface ToCount {
  readonly query: MemoryQuery
  /** Cosine distance. */
  readonly within: number
  readonly leftOut: ReadonlySet<number>
  readonly mask: Mask | undefined
}

/** Counts in slots, and lists those that may not be in the mask. 8 bits tell of most, float32 of the others. */
export function countWithin(
  { bytes, floats }: VectorRows,
  { query, within, leftOut, mask }: ToCount,
  slots: Int32Array,
) {
  const similarities = bytes.similarities(query.bytes, slots)
  const unsure: number[] = []
  let counted = 0
  for (let at = 0; at < slots.length; at += 1) {
    const slot = slots[at] ?? 0
    const beyond = (similarities[at] ?? 0) - (1 - within)
    const error = bytes.errorOf(slot, query.bytes) + noise
    // Those of free slots are NaN.
    if (!(beyond >= -error)) continue
    if (beyond < error && floats.distance(query.unit, slot) > within) continue
    if (leftOut.has(slot)) continue
    if (mask?.isSure(slot) === false) unsure.push(slot)
    else counted += 1
  }
  return { counted, unsure }
}

/**
 * How similar `count` of the slots are by 8 bits, and how similar they are at least; -Infinity if they
 * are fewer.
 */
export function reachedBy(
  { bytes }: VectorRows,
  query: MemoryQuery,
  slots: Int32Array,
  count: number,
): { readonly similarity: number; readonly least: number } {
  const similarities = bytes.similarities(query.bytes, slots)
  const least = new Float32Array(slots.length)
  for (let at = 0; at < slots.length; at += 1) {
    least[at] = (similarities[at] ?? 0) - bytes.errorOf(slots[at] ?? 0, query.bytes)
  }
  const reached = (values: Float32Array) =>
    values.sort()[slots.length - count] ?? Number.NEGATIVE_INFINITY
  return { similarity: reached(similarities), least: reached(least) }
}

/** The nearest first. */
export const orderOf =
  ({ tieOrder }: VectorRows) =>
  (a: FoundRow, b: FoundRow) =>
    a.distance - b.distance || tieOrder(a.slot, b.slot)

export const queryFrom = (unit: UnitVector): MemoryQuery => ({
  bytes: queryOf(unit.components),
  unit,
})

/**
 * The places of all slots that may be among the `count` nearest; the most similar first.
 * @returns undefined if they are too many, which would take long to sort
 */
function mayBeAmong(
  { bytes }: VectorRows,
  query: MemoryQuery,
  slots: Int32Array,
  similarities: Float32Array,
  count: number,
): Int32Array | undefined {
  const most = Math.max(maxCompared, 2 * count)
  const largestError = bytes.largestErrorOf(query.bytes) + noise
  const errorAt = (at: number) => bytes.errorOf(slots[at] ?? 0, query.bytes) + noise
  const largest = new LargestLists(1, Math.min(count, slots.length), Float64Array)
  // At least `count` rows are this similar.
  let reached = Number.NEGATIVE_INFINITY
  for (let at = 0; at < slots.length; at += 1) {
    const similarity = similarities[at] ?? 0
    // Most rows are far away. Skipping them saves looking up their errors.
    if (similarity <= reached) continue
    const least = similarity - errorAt(at)
    if (least > reached) reached = largest.add(0, least, at)
  }
  const places: number[] = []
  for (let at = 0; at < slots.length; at += 1) {
    const similarity = similarities[at] ?? 0
    // Those of free slots are NaN.
    if (!(similarity + largestError >= reached)) continue
    if (similarity + errorAt(at) < reached) continue
    if (places.length === most) return undefined
    places.push(at)
  }
  return Int32Array.from(places).sort((a, b) => (similarities[b] ?? 0) - (similarities[a] ?? 0))
}
