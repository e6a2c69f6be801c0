import type { Matrix } from './matrix.ts'
import { seededRandom } from './random.ts'

const rounds = 4
/** Centres are means of so many rows each, on average: more of them hardly change the centres. */
const sampledPerCluster = 40

/** Which rows are near one another, roughly: by k-means with cosine similarity. */
interface Clusters {
  /** For every row its cluster. */
  readonly clusterOf: Int32Array
  /** For every cluster the nearest others and itself, by their centres. */
  readonly nearest: readonly Int32Array[]
}

/** @param probed how many clusters are near one; it yields at times, so that others get their turn */
export function* makeClusters(
  matrix: Matrix,
  count: number,
  probed: number,
): Generator<void, Clusters> {
  const random = seededRandom(7)
  const sampled = Math.min(matrix.rows, count * sampledPerCluster)
  const sample = Int32Array.from({ length: sampled }, (_, i) =>
    Math.floor(((i + random() / 2 ** 32) * matrix.rows) / sampled),
  )
  matrix.setOthers(
    Array.from({ length: count }, (_, i) =>
      matrix.row(sample[i * Math.floor(sampled / count)] ?? 0),
    ),
  )
  for (let round = 0; round < rounds; round += 1) {
    const clusterOf = new Int32Array(sampled)
    for (let i = 0; i < sampled; i += 1) {
      // One by one: they do not lie side by side.
      clusterOf[i] = matrix.nearestOther(sample[i] ?? 0, 1)[0] ?? 0
      if (i % 500 === 0) yield
    }
    matrix.setOthers(centres(matrix, sample, clusterOf, count))
    yield
  }
  const clusterOf = new Int32Array(matrix.rows)
  const together = 96
  for (let first = 0; first < matrix.rows; first += together) {
    const height = Math.min(together, matrix.rows - first)
    clusterOf.set(matrix.nearestOther(first, height), first)
    yield
  }
  return { clusterOf, nearest: matrix.nearestOfOthers(probed) }
}

function centres(
  matrix: Matrix,
  sample: Int32Array,
  clusterOf: Int32Array,
  count: number,
): Float32Array[] {
  const sums = Array.from({ length: count }, () => new Float32Array(matrix.dimensions))
  const sizes = new Int32Array(count)
  for (const [i, row] of sample.entries()) {
    const cluster = clusterOf[i] ?? 0
    sizes[cluster] = (sizes[cluster] ?? 0) + 1
    const sum = sums[cluster]
    const values = matrix.row(row)
    if (sum !== undefined)
      for (let j = 0; j < sum.length; j += 1) sum[j] = (sum[j] ?? 0) + (values[j] ?? 0)
  }
  // One that nothing is near to stays where some row is.
  return sums.map((sum, cluster) => (sizes[cluster] === 0 ? matrix.row(sample[cluster] ?? 0) : sum))
}
