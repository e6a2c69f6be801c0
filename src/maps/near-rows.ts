import { LargestLists } from '../vectors/largest-lists.ts'
import { makeClusters } from './clusters.ts'
import type { NeighbourLists } from './fuzzy-graph.ts'
import { type Matrix, tileRows } from './matrix.ts'

const tuning = { exactRows: 10_000, clusterRows: 400, minProbed: 16, share: 0.04 }

/**
 * The nearest neighbours of every row, by comparing rows of clusters that are near each other: of the true
 * ones most, in a small part of the time that comparing all with all would take.
 * It yields how far it is, 0 to 1, several times a second; the rows get another order meanwhile.
 */
export function* nearRows(matrix: Matrix, k: number): Generator<number, NeighbourLists> {
  const { rows } = matrix
  const count = rows <= tuning.exactRows ? 1 : Math.ceil(rows / tuning.clusterRows)
  const probed = Math.min(count, Math.max(tuning.minProbed, Math.ceil(count * tuning.share)))
  const making = makeClusters(matrix, count, probed)
  let made = making.next()
  for (; made.done !== true; made = making.next()) yield 0
  const { clusterOf, nearest } = made.value
  const { order, starts } = sorted(clusterOf, count)
  matrix.reorder(order)

  const lists = new Comparison(matrix, k)
  for (let cluster = 0; cluster < count; cluster += 1) {
    for (const other of nearest[cluster] ?? []) {
      const isMutual = nearest[other]?.includes(cluster) === true
      // What is mutual is compared once.
      if (isMutual && other < cluster) continue
      lists.compare(starts, cluster, other)
      yield cluster / count
    }
  }
  return lists.result(order)
}

function sorted(clusterOf: Int32Array, count: number) {
  const starts = new Int32Array(count + 1)
  for (const cluster of clusterOf) starts[cluster + 1] = (starts[cluster + 1] ?? 0) + 1
  for (let i = 0; i < count; i += 1) starts[i + 1] = (starts[i + 1] ?? 0) + (starts[i] ?? 0)
  const next = starts.slice()
  const order = new Int32Array(clusterOf.length)
  for (const [row, cluster] of clusterOf.entries()) {
    const at = next[cluster] ?? 0
    order[at] = row
    next[cluster] = at + 1
  }
  return { order, starts }
}

class Comparison {
  readonly #matrix: Matrix
  readonly #k: number
  readonly #lists: LargestLists<Float64Array>
  readonly #least: Float64Array

  constructor(matrix: Matrix, k: number) {
    this.#matrix = matrix
    this.#k = k
    this.#lists = new LargestLists(matrix.rows, k, Float64Array)
    this.#least = new Float64Array(matrix.rows).fill(Number.NEGATIVE_INFINITY)
  }

  compare(starts: Int32Array, one: number, two: number): void {
    const [endOfOne, endOfTwo] = [starts[one + 1] ?? 0, starts[two + 1] ?? 0]
    for (let first = starts[one] ?? 0; first < endOfOne; first += tileRows) {
      const height = Math.min(tileRows, endOfOne - first)
      for (
        let other = one === two ? first : (starts[two] ?? 0);
        other < endOfTwo;
        other += tileRows
      ) {
        this.#compareTile(first, height, other, Math.min(tileRows, endOfTwo - other))
      }
    }
  }

  #compareTile(first: number, height: number, firstOther: number, width: number): void {
    const wide = this.#matrix.multiply(first, height, firstOther, width)
    const { products } = this.#matrix
    const least = this.#least
    for (let i = 0; i < height; i += 1) {
      const row = first + i
      for (let j = first === firstOther ? i + 1 : 0; j < width; j += 1) {
        const product = products[i * wide + j] ?? 0
        const other = firstOther + j
        if (product >= (least[row] ?? 0)) least[row] = this.#lists.add(row, product, other)
        if (product >= (least[other] ?? 0)) least[other] = this.#lists.add(other, product, row)
      }
    }
  }

  /** @param order which row is where in the matrix */
  result(order: Int32Array): NeighbourLists {
    const k = this.#k
    const neighbours = new Int32Array(order.length * k).fill(-1)
    const distances = new Float32Array(order.length * k)
    for (const [place, row] of order.entries()) {
      const { keys, values } = this.#lists.sorted(place)
      for (let i = 0; i < keys.length; i += 1) {
        neighbours[row * k + i] = order[keys[i] ?? 0] ?? 0
        distances[row * k + i] = Math.max(0, 1 - (values[i] ?? 0))
      }
    }
    return { k, neighbours, distances }
  }
}
