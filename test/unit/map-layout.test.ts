import { describe, expect, it } from 'vitest'
import { computeMap } from '../../src/maps/compute-map.ts'
import { ValueColumn } from '../../src/maps/map-columns.ts'
import { Matrix } from '../../src/maps/matrix.ts'
import { nearRows } from '../../src/maps/near-rows.ts'
import { KeptPlaces, keptPoints } from '../../src/maps/points.ts'
import { seededRandom } from '../../src/maps/random.ts'
import { compileKernels } from '../../src/vectors/kernels.ts'

const dimensions = 12

/** Groups of rows around centres far from each other; the group of row i is i % groups. */
function grouped(rows: number, groups: number): Float32Array[] {
  const random = seededRandom(11)
  const element = () => random() / 2 ** 31 - 1
  const centres = Array.from({ length: groups }, () => Array.from({ length: dimensions }, element))
  return Array.from({ length: rows }, (_, row) =>
    Float32Array.from(centres[row % groups] ?? [], (value) => value + 0.2 * element()),
  )
}

function matrixOf(rows: readonly Float32Array[]): Matrix {
  const matrix = new Matrix(compileKernels(), dimensions)
  for (const row of rows) matrix.add(row)
  return matrix
}

function endOf<Result>(steps: Generator<number, Result>): { progress: number[]; result: Result } {
  const progress: number[] = []
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return { progress, result: step.value }
    progress.push(step.value)
  }
}

describe('a map', () => {
  it('keeps groups together and apart from others, and is the same each time', () => {
    const rows = grouped(600, 6)
    const { progress, result } = endOf(computeMap(matrixOf(rows)))
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    expect(endOf(computeMap(matrixOf(rows))).result).toEqual(result)
    let near = 0
    for (let row = 0; row < rows.length; row += 1) {
      const distance = (other: number) =>
        Math.hypot(
          (result[2 * row] ?? 0) - (result[2 * other] ?? 0),
          (result[2 * row + 1] ?? 0) - (result[2 * other + 1] ?? 0),
        )
      const others = rows.map((_, other) => other).filter((other) => other !== row)
      const [nearest = 0] = others.sort((a, b) => distance(a) - distance(b))
      if (nearest % 6 === row % 6) near += 1
    }
    expect(near / rows.length).toBeGreaterThan(0.98)
  })

  it('of few rows, or of equal ones, has finite places', () => {
    for (const count of [1, 2, 3, 40]) {
      const same = Array.from({ length: count }, () => new Float32Array(dimensions).fill(1))
      const { result } = endOf(computeMap(matrixOf(same)))
      expect(result).toHaveLength(2 * count)
      expect(result.every((value) => Math.abs(value) <= 1)).toBe(true)
    }
  })
})

describe('near rows of many', () => {
  it('are most of the nearest, whichever cluster they are in', () => {
    const rows = grouped(11_000, 50)
    const k = 5
    const { result } = endOf(nearRows(matrixOf(rows), k))
    let found = 0
    for (let row = 0; row < rows.length; row += 1_000) {
      const unit = (one: number) => {
        const values = rows[one] ?? new Float32Array()
        const norm = Math.hypot(...values)
        return values.map((value) => value / norm)
      }
      const own = unit(row)
      const nearest = rows
        .map((_, other) => ({
          other,
          product: unit(other).reduce((sum, value, i) => sum + value * (own[i] ?? 0), 0),
        }))
        .filter(({ other }) => other !== row)
        .sort((a, b) => b.product - a.product)
        .slice(0, k)
      const given = result.neighbours.subarray(row * k, (row + 1) * k)
      found += nearest.filter(({ other }) => given.includes(other)).length
    }
    expect(found / (11 * k)).toBeGreaterThan(0.9)
  })
})

describe('a kept map', () => {
  const textIds = ['a', 'b', 'c', 'ä', '𝄞']
  const places = Float32Array.from(textIds.flatMap((_, row) => [row / 8, -row / 8]))
  const rowsOf = (asked: readonly string[]) => {
    const points = new KeptPlaces(keptPoints(textIds, places))
    return asked.map((textId) => points.placeOf(textId))
  }

  it('has the places of its texts, in order and with others between them', () => {
    const all = textIds.map((_, row) => ({ x: row / 8, y: row === 0 ? -0 : -row / 8 }))
    expect(rowsOf(textIds)).toEqual(all)
    expect(rowsOf(['0', 'b', 'bb', 'ä', '𝄞', 'z'])).toEqual([
      undefined,
      all[1],
      undefined,
      all[3],
      all[4],
      undefined,
    ])
  })
})

describe('the values of a field', () => {
  it('are there once, and not more than there is room for', () => {
    const column = new ValueColumn()
    const large = (name: string) => JSON.stringify(name.repeat(3 * 2 ** 20))
    expect(['1', null, '"1"', '1'].map((value) => column.add(value))).toEqual([0, -1, 1, 0])
    expect([large('a'), large('b'), large('c'), '2'].map((value) => column.add(value))).toEqual([
      2, 3, -1, 4,
    ])
    expect(column.hasMore).toBe(true)
  })
})
