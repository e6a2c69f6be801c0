import { seededRandom } from './random.ts'

/** Each brings the axes nearer to those of the largest variance; for a map a rough direction is enough. */
const iterations = 3

/**
 * The directions in which rows vary most, orthogonal and of unit length, by subspace iteration. (Halko,
 * Martinsson and Tropp, "Finding structure with randomness", 2011, algorithm 4.4.)
 */
export function principalAxes(
  rows: readonly Float32Array[],
  dimensions: number,
  wanted: number,
): Float64Array[] {
  const random = seededRandom(1)
  let axes = Array.from({ length: wanted }, () =>
    Float64Array.from({ length: dimensions }, () => random() / 2 ** 31 - 1),
  )
  makeOrthonormal(axes)
  for (let i = 0; i < iterations; i += 1) {
    const next = axes.map(() => new Float64Array(dimensions))
    for (const row of rows) {
      for (let a = 0; a < wanted; a += 1) addTo(next[a], row, dotProduct(axes[a], row))
    }
    makeOrthonormal(next)
    axes = next
  }
  return axes
}

type Numbers = Float64Array | Float32Array

export function dotProduct(a: Numbers | undefined, b: Numbers): number {
  let sum = 0
  if (a !== undefined) for (let i = 0; i < b.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

function addTo(sum: Float64Array | undefined, row: Numbers, times: number): void {
  if (sum === undefined) return
  for (let i = 0; i < row.length; i += 1) sum[i] = (sum[i] ?? 0) + times * (row[i] ?? 0)
}

/** Gram and Schmidt's way. What is left of no length, since the rows vary in fewer directions, is zero. */
function makeOrthonormal(axes: readonly Float64Array[]): void {
  for (const [place, axis] of axes.entries()) {
    const before = Math.sqrt(dotProduct(axis, axis))
    for (const other of axes.slice(0, place)) addTo(axis, other, -dotProduct(other, axis))
    const norm = Math.sqrt(dotProduct(axis, axis))
    const scale = norm > 1e-9 * before ? 1 / norm : 0
    for (let i = 0; i < axis.length; i += 1) axis[i] = (axis[i] ?? 0) * scale
  }
}
