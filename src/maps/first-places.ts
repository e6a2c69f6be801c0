import type { Matrix } from './matrix.ts'
import { dotProduct, principalAxes } from './principal-axes.ts'
import { seededRandom } from './random.ts'

const maxSample = 4_000
/** How far from the middle the farthest are at first, as in the authors' program; and how far equal ones are apart. */
const [extent, scatter] = [10, 1e-4]

/**
 * Where the rows are in the plane in which they vary most: so what is far apart begins far apart. (Kobak and
 * Linderman, "Initialization is critical for preserving global data structure", 2021.)
 */
export function firstPlaces(matrix: Matrix): Float32Array<ArrayBuffer> {
  const { rows, dimensions } = matrix
  const step = Math.max(1, Math.ceil(rows / maxSample))
  const mean = new Float64Array(dimensions)
  const sample: Float32Array[] = []
  for (let row = 0; row < rows; row += step) sample.push(matrix.row(row).slice())
  for (const row of sample)
    for (const [i, value] of row.entries()) mean[i] = (mean[i] ?? 0) + value / sample.length
  for (const row of sample) for (const [i, value] of row.entries()) row[i] = value - (mean[i] ?? 0)
  const axes = principalAxes(sample, dimensions, 2)
  const middle = axes.map((axis) => dotProduct(axis, mean))
  const places = new Float32Array(2 * rows)
  for (let row = 0; row < rows; row += 1) {
    const values = matrix.row(row)
    for (const [i, axis] of axes.entries())
      places[2 * row + i] = dotProduct(axis, values) - (middle[i] ?? 0)
  }
  const farthest = places.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const random = seededRandom(3)
  return places.map(
    (value) =>
      (farthest === 0 ? 0 : (value / farthest) * extent) + (random() / 2 ** 31 - 1) * scatter,
  )
}
