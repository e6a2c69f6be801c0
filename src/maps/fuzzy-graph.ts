/*
 * From neighbours to a weighted graph, as McInnes, Healy and Melville, "UMAP" (2018), have it: sections 3.1
 * and 4.1, algorithms 2 and 3.
 */

/** The nearest neighbours of every row, `k` each, the nearest first; -1 where there are fewer. */
export interface NeighbourLists {
  readonly k: number
  readonly neighbours: Int32Array
  readonly distances: Float32Array
}

/** For each row its edges: those from `starts[row]` up to `starts[row + 1]`, by the row at the other end. */
export interface Graph {
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly weights: Float32Array
}

const searchSteps = 64
const tolerance = 1e-5
/** Of the mean distance: so near at least is where the weight has fallen to 1/e. */
const minScale = 1e-3

/** The weight of an edge is the probability that it is there by what either end says: p + q - pq. */
export function fuzzyGraph(lists: NeighbourLists): Graph {
  const { k, neighbours } = lists
  const rows = neighbours.length / k
  const given = membershipStrengths(lists)
  const starts = countEdges(lists, rows)
  const ends = new Int32Array(starts[rows] ?? 0)
  const weights = new Float32Array(ends.length)
  const next = starts.slice()
  const put = (row: number, end: number, weight: number) => {
    const at = next[row] ?? 0
    next[row] = at + 1
    ends[at] = end
    weights[at] = weight
  }
  for (let at = 0; at < neighbours.length; at += 1) {
    const [row, other] = [Math.floor(at / k), neighbours[at] ?? -1]
    if (other < 0) continue
    const [p, back] = [given[at] ?? 0, placeOf(lists, other, row)]
    const q = back < 0 ? 0 : (given[back] ?? 0)
    const weight = p + q - p * q
    put(row, other, weight)
    if (back < 0) put(other, row, weight)
  }
  return { starts, ends, weights }
}

/** Where `other` is among the neighbours of a row; -1 where it is not. */
function placeOf({ k, neighbours }: NeighbourLists, row: number, other: number): number {
  for (let at = row * k; at < (row + 1) * k; at += 1) if (neighbours[at] === other) return at
  return -1
}

function countEdges(lists: NeighbourLists, rows: number): Int32Array {
  const { k, neighbours } = lists
  const starts = new Int32Array(rows + 1)
  const count = (row: number) => {
    starts[row + 1] = (starts[row + 1] ?? 0) + 1
  }
  for (let at = 0; at < neighbours.length; at += 1) {
    const [row, other] = [Math.floor(at / k), neighbours[at] ?? -1]
    if (other < 0) continue
    count(row)
    if (placeOf(lists, other, row) < 0) count(other)
  }
  for (let row = 0; row < rows; row += 1)
    starts[row + 1] = (starts[row + 1] ?? 0) + (starts[row] ?? 0)
  return starts
}

/** By how much each row takes each of its neighbours for one: 1 for the nearest, less the farther it is. */
function membershipStrengths({ k, neighbours, distances }: NeighbourLists): Float32Array {
  const strengths = new Float32Array(neighbours.length)
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / (distances.length || 1)
  for (let from = 0; from < neighbours.length; from += k) {
    const own = distances.subarray(from, from + k)
    const nearest = own.find((distance) => distance > 0) ?? 0
    const scale = Math.max(scaleOf(own, nearest), minScale * mean)
    for (let i = 0; i < k; i += 1) {
      const beyond = (own[i] ?? 0) - nearest
      strengths[from + i] = beyond <= 0 ? 1 : Math.exp(-beyond / scale)
    }
  }
  return strengths
}

/** By bisection: that for which the strengths add up to log2(k + 1), the row itself being one of k + 1. */
function scaleOf(distances: Float32Array, nearest: number): number {
  const target = Math.log2(distances.length + 1)
  let [low, high, middle] = [0, Number.POSITIVE_INFINITY, 1]
  for (let step = 0; step < searchSteps; step += 1) {
    let sum = 0
    for (const distance of distances)
      sum += distance > nearest ? Math.exp((nearest - distance) / middle) : 1
    if (Math.abs(sum - target) < tolerance) break
    if (sum > target) high = middle
    else low = middle
    middle = high === Number.POSITIVE_INFINITY ? middle * 2 : (low + high) / 2
  }
  return middle
}
