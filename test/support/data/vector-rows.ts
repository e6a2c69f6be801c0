import type { NearestRequest } from '../../../src/search/memory/candidates.ts'
import { FloatRows, unitOf } from '../../../src/search/memory/float-rows.ts'
import { queryFrom, type VectorRows } from '../../../src/search/memory/nearest.ts'
import { QuantizedRows } from '../../../src/search/memory/quantized-rows.ts'
import { randomNumbers } from '../../shared/random-numbers.ts'

export const queryOf = (vector: Float32Array) => queryFrom(unitOf(vector))

/** A request for the nearest one, which need not be exact unless that is wanted. */
export const nearestTo = (
  vector: Float32Array,
  wanted: Partial<NearestRequest> = {},
): NearestRequest => ({
  ...{ query: { vector }, count: 1, exact: false },
  ...wanted,
})

/** Stores a vector in both forms. */
export function put(rows: VectorRows, slot: number, vector: Float32Array): void {
  const unit = unitOf(vector)
  rows.bytes.set(slot, unit.components)
  rows.floats.set(slot, unit)
}
export function rowsOf(vectors: readonly Float32Array[]) {
  const dimensions = vectors[0]?.length ?? 0
  const rows: VectorRows = {
    bytes: new QuantizedRows(dimensions),
    floats: new FloatRows(dimensions),
    tieOrder: (slot, other) => other - slot,
  }
  for (const [slot, vector] of vectors.entries()) put(rows, slot, vector)
  return { rows, slots: Int32Array.from(vectors.keys()) }
}

/** The nearest and all as near as the last, in order, by comparing all in float32. */
export function trueNearest(
  rows: VectorRows,
  vector: Float32Array,
  slots: Iterable<number>,
  count: number,
) {
  const unit = unitOf(vector)
  const all = Array.from(slots, (slot) => ({ slot, distance: rows.floats.distance(unit, slot) }))
  all.sort((a, b) => a.distance - b.distance || rows.tieOrder(a.slot, b.slot))
  const last = all[Math.min(count, all.length) - 1]?.distance ?? -1
  return all.filter(({ distance }) => distance <= last)
}

/** All kinds of vectors: near ones, equal ones, long and short ones, and those with few components. */
export function hardVectors(count: number, dimensions: number): Float32Array[] {
  const random = randomNumbers(count * 7 + dimensions)
  const vectors: Float32Array[] = []
  for (let index = 0; index < count; index += 1) {
    const like = vectors[Math.floor(random() * index)]
    const kind = like === undefined ? 3 : Math.floor(random() * 6)
    const scale = 10 ** Math.floor(random() * 30 - 15)
    vectors.push(
      Float32Array.from({ length: dimensions }, (_, at) => {
        const own = random() - 0.5
        if (kind === 0) return like?.[at] ?? 0
        if (kind === 1) return (like?.[at] ?? 0) * (1 + own * 1e-4)
        if (kind === 2) return Math.fround((like?.[at] ?? 0) * 3)
        return (kind === 4 && at !== index % dimensions ? own * 1e-3 : own || 0.1) * scale
      }),
    )
  }
  return vectors
}
