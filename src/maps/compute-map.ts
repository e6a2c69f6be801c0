import { firstPlaces } from './first-places.ts'
import { fuzzyGraph } from './fuzzy-graph.ts'
import { Layout } from './layout.ts'
import type { Matrix } from './matrix.ts'
import { nearRows } from './near-rows.ts'

/** As in the authors' program: more show larger patterns, fewer finer ones. */
const neighboursOfEach = 15
/** Of the whole time, what finding the neighbours takes. */
const shareOfNeighbours = 0.4

/**
 * x and y of every row, one after the other, between -1 and 1: near where rows are near each other.
 * It yields how far it is, 0 to 1, many times a second.
 */
export function* computeMap(matrix: Matrix): Generator<number, Float32Array<ArrayBuffer>> {
  const places = firstPlaces(matrix)
  if (matrix.rows <= 2) return inSquare(places)
  const finding = nearRows(matrix, Math.min(neighboursOfEach, matrix.rows - 1))
  let found = finding.next()
  for (; found.done !== true; found = finding.next()) yield found.value * shareOfNeighbours
  const layout = new Layout(fuzzyGraph(found.value), places)
  while (!layout.isDone) {
    yield shareOfNeighbours + ((1 - shareOfNeighbours) * layout.epoch) / layout.epochs
    layout.step()
  }
  return inSquare(layout.points)
}

/** Its middle at 0, the farthest coordinate at 1 or -1; both directions at one scale. */
function inSquare(places: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const [least, most] = [
    [Infinity, Infinity],
    [-Infinity, -Infinity],
  ]
  for (const [at, value] of places.entries()) {
    least[at % 2] = Math.min(least[at % 2] ?? 0, value)
    most[at % 2] = Math.max(most[at % 2] ?? 0, value)
  }
  const middle = least.map((value, axis) => (value + (most[axis] ?? 0)) / 2)
  const half = Math.max(...most.map((value, axis) => value - (middle[axis] ?? 0)))
  return places.map((value, at) => (half === 0 ? 0 : (value - (middle[at % 2] ?? 0)) / half))
}
