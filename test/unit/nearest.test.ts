import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import wabt from 'wabt'
import { assembled } from '../../src/search/memory/kernels.ts'
import { nearestOf } from '../../src/search/memory/nearest.ts'
import { hardVectors, queryOf, rowsOf, trueNearest } from '../support/data/vector-rows.ts'
import { similarity } from '../support/data/vectors.ts'

const source = new URL('../../src/search/memory/kernels.wat', import.meta.url)

it('runs what its source says', async () => {
  const { parseWat } = await wabt()
  const relaxed = { relaxed_simd: true }
  const { buffer } = parseWat('kernels.wat', readFileSync(source, 'utf8'), relaxed).toBinary({})
  expect(assembled).toBe(Buffer.from(buffer).toString('base64'))
})

/** Cosine distance in float64 of unit vectors, of which float32 rounds elements and differences. */
function distanceOf(one: Float32Array, other: Float32Array): number {
  const [lengthOfOne, lengthOfOther] = [Math.hypot(...one), Math.hypot(...other)]
  const a = one.map((component) => component / lengthOfOne)
  const b = other.map((component) => component / lengthOfOther)
  const apart = Math.hypot(...a.map((component, at) => component - (b[at] ?? 0)))
  const [ofA, ofB] = [Math.hypot(...a), Math.hypot(...b)]
  return (apart ** 2 - (ofA - ofB) ** 2) / (2 * ofA * ofB)
}

describe.each([1, 3, 8, 100, 384, 1_536, 4_097])('of %i dimensions', (dimensions) => {
  const vectors = hardVectors(400, dimensions)
  const { rows, slots } = rowsOf(vectors)
  for (const slot of slots) if (slot % 9 === 4) rows.bytes.clear(slot)
  const left = slots.filter((slot) => slot % 9 !== 4)
  const queries = [...hardVectors(12, dimensions), ...vectors.slice(1, 4)]

  it('finds exactly the nearest, and all that are as near as the last', () => {
    for (const vector of queries) {
      for (const wanted of [1, 10, 355, 399, 5_000]) {
        const found = nearestOf(rows, queryOf(vector), slots, wanted)
        expect(found).toEqual(trueNearest(rows, vector, left, wanted))
      }
    }
  })

  it('tells their distances to nine digits', () => {
    for (const vector of queries) {
      for (const { slot, distance } of nearestOf(rows, queryOf(vector), slots, 400) ?? []) {
        const other = vectors[slot] ?? expect.fail()
        const rounded = Math.round(distanceOf(vector, other) * 1e9) / 1e9
        expect(Math.abs(distance - rounded)).toBeLessThan(1.01e-9)
        expect(distance).toBeCloseTo(1 - similarity([...vector], [...other]), 6)
      }
    }
  })
})

it('finds all that are alike, but no more than it compares', () => {
  const alike = Array.from({ length: 20_001 }, () => Float32Array.of(1, 2, 3, 4))
  const { rows, slots } = rowsOf([...alike, Float32Array.of(4, 3, 2, 1)])
  const query = queryOf(Float32Array.of(1, 2, 3, 4))
  expect(nearestOf(rows, query, slots, 1)).toBeUndefined()
  expect(nearestOf(rows, query, slots.subarray(1), 1)).toHaveLength(20_000)
  expect(nearestOf(rows, query, slots, 15_000)).toHaveLength(20_001)
})
