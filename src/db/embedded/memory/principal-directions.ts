import { QuantizedRows, queryOf } from './quantized-rows.ts'

const sampled = 4_000
/** Each brings the directions nearer to the ones of largest variance; four are enough for a shortlist. */
const iterations = 4

/** Lets other work of the thread be done. */
export type Pause = () => Promise<void>

/**
 * Orthonormal directions that hold most of what tells the rows apart: those of largest variance, found by
 * subspace iteration (Halko, Martinsson, Tropp, Finding Structure with Randomness, 2011, algorithm 4.4) on
 * a sample. Turned at random among themselves, so that none of their components is much larger than others.
 */
export async function principalDirections(
  module: WebAssembly.Module,
  rows: QuantizedRows,
  slots: Int32Array,
  count: number,
  pause: Pause,
): Promise<Float32Array[]> {
  const random = normalNumbers()
  const drawn = (length: number) => Float32Array.from({ length }, random)
  const sample = spread(slots, sampled)
  const columns = await columnsOf(module, rows, sample, pause)
  let directions: Float32Array[] = Array.from({ length: count }, () => drawn(rows.dimensions))
  for (let i = 0; i < iterations; i += 1) {
    const next: Float32Array[] = []
    for (const direction of directions) {
      await pause()
      // One that was deleted meanwhile is not a number.
      const factors = rows.similarities(queryOf(direction), sample).map((each) => each || 0)
      next.push(columns.times(factors))
    }
    directions = orthonormal(next)
    await pause()
  }
  const turned = orthonormal(Array.from({ length: count }, () => drawn(count)))
  return turned.map((weights) => sumOf(directions, weights))
}

/** The sample by its components, to be multiplied with a number for each of its rows. */
async function columnsOf(
  module: WebAssembly.Module,
  rows: QuantizedRows,
  sample: Int32Array,
  pause: Pause,
) {
  const columns = new QuantizedRows(module, sample.length, false)
  const all = Int32Array.from({ length: rows.dimensions }, (_, index) => index)
  for (const index of all) {
    if (index % 16 === 0) await pause()
    const column = Float32Array.from(sample, (slot) => rows.componentOf(slot, index) || 0)
    columns.set(index, column, lengthOf(column))
  }
  return { times: (factors: Float32Array) => columns.similarities(queryOf(factors), all) }
}

/** By the modified Gram-Schmidt process. A vector that the others hold already becomes one of zeros. */
function orthonormal(vectors: readonly Float32Array[]): Float32Array[] {
  const done: Float32Array[] = []
  for (const vector of vectors) {
    const rest = vector.slice()
    for (const other of done) addScaled(rest, other, -dot(rest, other))
    const length = lengthOf(rest)
    const isNew = length > 1e-4 * lengthOf(vector)
    done.push(isNew ? rest.map((component) => component / length) : rest.fill(0))
  }
  return done
}

function sumOf(vectors: readonly Float32Array[], weights: Float32Array): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const [i, vector] of vectors.entries()) addScaled(sum, vector, weights[i] ?? 0)
  return sum
}

function addScaled(sum: Float32Array, vector: Float32Array, factor: number): void {
  for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + factor * (vector[i] ?? 0)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

const lengthOf = (vector: Float32Array) => Math.sqrt(dot(vector, vector))

/** Always the same ones, by the Box-Muller transform of a linear congruential generator. */
function normalNumbers(): () => number {
  let state = 1
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}

/** So many of the slots, evenly spread. */
export function spread(slots: Int32Array, count: number): Int32Array {
  const step = Math.max(1, slots.length / count)
  return Int32Array.from(
    { length: Math.min(count, slots.length) },
    (_, i) => slots[Math.floor(i * step)] ?? 0,
  )
}
