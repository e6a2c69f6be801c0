import { grow, type Kernel, kernelOn, newMemory } from '../kernels.ts'
import { LargestLists } from '../largest-lists.ts'
import type { Mask } from '../mask.ts'
import { nearestOf } from '../nearest.ts'
import type { QuantizedQuery, QuantizedRows } from '../quantized-rows.ts'
import { randomRotation } from './random-rotation.ts'

/** With fewer dimensions, signs say little. */
export const minDimensions = 64
/** An estimate is off by more than this in one of three million cases. */
const standardErrors = 5
/** How much rounding to 16 bits may change a similarity. */
const noise = 1e-4
/**
 * Rows averaged for the mean. Estimates are right with any vector in its place, and narrow with the
 * mean.
 */
const sampledRows = 2_000
/**
 * How many of the best estimates, at least, are compared in full to bound the similarity of the
 * nearest.
 */
const minCompared = 32
/** Rows that the kernels compare at once, and rows per call, which form a chunk of the memory. */
const blockRows = 16
const chunkRows = 2_048
/** Numbers beside each code: offset, factor, error, and the upper bound for the present query. */
const numbers = 4

// Addresses of the arguments of the kernels, below the chunks.
const everyAt = 128
const maskAt = everyAt + chunkRows / 8
const foundAt = maskAt + chunkRows / 8
const estimatesAt = foundAt + 4 * chunkRows
const tablesAt = estimatesAt + 4 * chunkRows

/** What the estimates for a query are computed from. */
interface Estimator {
  readonly base: number
  /** The sum of signs × components is `low + step × sum`; tables give `sum` for the signs. */
  readonly low: number
  readonly step: number
  /** L2 norm of the query's difference from the mean. */
  readonly norm: number
}

/**
 * One bit per component of each row: the sign of its difference from the mean, after a random
 * rotation. The bits give an unbiased estimate of a similarity, with a known standard error for
 * each row. This tells which rows may be among the nearest, even for rows unlike all others.
 * Source: Gao and Long, RaBitQ, SIGMOD 2024 (arXiv 2405.12497), section 3; sums by tables of four
 * bits: André, Kermarrec and Le Scouarnec, Accelerated Nearest Neighbor Search with Quick ADC, ICMR
 * 2017.
 */
export class SignCodes {
  readonly #rows: QuantizedRows
  readonly #mean: Float32Array
  readonly #meanSquare: number
  readonly #rotate: (vector: Float32Array) => void
  readonly #estimate: Kernel
  readonly #reaching: Kernel
  readonly #memory = newMemory()
  readonly #bytes: number
  readonly #chunksAt: number
  #codes = new Uint8Array(this.#memory.buffer)
  /** The same memory. Similarity ≈ base + offset + factor × (low + step × sum), ± error × norm. */
  #numbers = new Float32Array(this.#memory.buffer)
  #size = 0
  /** Reused, because allocating and clearing it for every search takes time. */
  #chosen = new Int32Array(0)

  /** @param slots rows to average for the mean */
  constructor(module: WebAssembly.Module, rows: QuantizedRows, slots: Int32Array) {
    this.#estimate = kernelOn(this.#memory, module, 'estimate')
    this.#reaching = kernelOn(this.#memory, module, 'reaching')
    this.#rows = rows
    this.#mean = meanOf(rows, slots)
    this.#meanSquare = dot(this.#mean, this.#mean)
    this.#rotate = randomRotation(rows.dimensions)
    this.#bytes = Math.ceil(rows.dimensions / 8)
    this.#chunksAt = tablesAt + 32 * this.#bytes
    this.#codes.fill(0xff, everyAt, maskAt)
  }

  set(slot: number): void {
    this.#reserve(slot + 1)
    const vector = this.#rows.vectorOf(slot)
    const offset = dot(vector, this.#mean) - this.#meanSquare
    const norm = this.#turnedDifference(vector)
    const sum = sumOfSizes(vector, 0, vector.length)
    const dimensions = vector.length
    // The cosine of the angle between the difference and its signs.
    const cosine = sum / (norm * Math.sqrt(dimensions)) || 1
    const row = slot % chunkRows
    const at = this.#numbersAt(slot)
    this.#numbers[at] = offset
    this.#numbers[at + chunkRows] = norm / (cosine * Math.sqrt(dimensions))
    this.#numbers[at + 2 * chunkRows] =
      (norm * Math.sqrt(Math.max(0, 1 - cosine ** 2) / (dimensions - 1))) / cosine
    const block = this.#chunkAt(slot) + Math.floor(row / blockRows) * blockRows * this.#bytes
    for (let byte = 0; byte < this.#bytes; byte += 1) {
      let signs = 0
      for (let bit = 0; bit < 8; bit += 1) if ((vector[8 * byte + bit] ?? 0) > 0) signs |= 1 << bit
      this.#codes[block + byte * blockRows + (row % blockRows)] = signs
    }
  }

  /** Makes the estimates of a slot NaN, which is not larger than any number. */
  clear(slot: number): void {
    this.#reserve(slot + 1)
    this.#numbers[this.#numbersAt(slot)] = Number.NaN
  }

  /**
   * The slots that may be among the `count` nearest, of all rows or of those in a mask.
   * @returns an array that the next call overwrites; undefined if it would hold more than half of
   *   the rows
   */
  choose(query: QuantizedQuery, count: number, mask?: Mask): Int32Array | undefined {
    const size = mask?.size ?? this.#size
    if (2 * count > size) return undefined
    const estimator = this.#estimator(query)
    const best = this.#best(estimator, Math.min(Math.max(2 * count, minCompared), size), mask)
    const { completeDownTo } = nearestOf(this.#rows, query, best, count)
    const least = completeDownTo - noise - query.error - estimator.base
    const found = new Int32Array(this.#memory.buffer, foundAt, chunkRows)
    const chosen = this.#chosen
    let chosenCount = 0
    for (let first = 0; first < this.#size; first += chunkRows) {
      const bounds = 4 * (this.#numbersAt(first) + 3 * chunkRows)
      const allowedAt = this.#allowedAt(first, mask)
      const reach = this.#reaching(bounds, this.#blocks(first), allowedAt, least, first, foundAt)
      chosen.set(found.subarray(0, reach), chosenCount)
      chosenCount += reach
    }
    return 2 * chosenCount > size ? undefined : chosen.subarray(0, chosenCount)
  }

  /** The slots with the largest estimates. Also stores the upper bounds of all rows. */
  #best({ low, step, norm }: Estimator, count: number, mask: Mask | undefined): Int32Array {
    const best = new LargestLists(1, count, Float64Array)
    const found = new Int32Array(this.#memory.buffer, foundAt, chunkRows)
    const estimates = new Float32Array(this.#memory.buffer, estimatesAt, chunkRows)
    let least = Number.NEGATIVE_INFINITY
    for (let first = 0; first < this.#size; first += chunkRows) {
      const above = this.#estimate(
        tablesAt,
        this.#bytes,
        this.#chunkAt(first),
        this.#blocks(first),
        this.#allowedAt(first, mask),
        low,
        step,
        standardErrors * norm,
        least,
        first,
        foundAt,
      )
      for (let i = 0; i < above; i += 1) {
        const estimate = estimates[i] ?? 0
        if (estimate > least) least = best.add(0, estimate, found[i] ?? 0)
      }
    }
    return best.keysOf(0)
  }

  /** The address of one bit for each row of a chunk, which says whether the row may be found. */
  #allowedAt(first: number, mask: Mask | undefined): number {
    if (mask === undefined) return everyAt
    const allowed = new Uint32Array(this.#memory.buffer, maskAt, chunkRows / 32)
    allowed.fill(0)
    allowed.set(mask.bits.subarray(first / 32, (first + chunkRows) / 32))
    return maskAt
  }

  /** The number of blocks in the chunk that begins with this slot. */
  #blocks(first: number): number {
    return Math.ceil(Math.min(chunkRows, this.#size - first) / blockRows)
  }

  #chunkAt(slot: number): number {
    const chunk = chunkRows * (this.#bytes + 4 * numbers)
    return this.#chunksAt + Math.floor(slot / chunkRows) * chunk
  }

  /** The index of the slot's first number in `#numbers`. */
  #numbersAt(slot: number): number {
    return (this.#chunkAt(slot) + chunkRows * this.#bytes) / 4 + (slot % chunkRows)
  }

  /**
   * Replaces `vector` with its difference from the mean, rotated.
   * @returns the norm of the difference
   */
  #turnedDifference(vector: Float32Array): number {
    for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) - (this.#mean[i] ?? 0)
    const norm = Math.sqrt(dot(vector, vector))
    this.#rotate(vector)
    return norm
  }

  #estimator({ values, scale }: QuantizedQuery): Estimator {
    const vector = Float32Array.from(values)
    for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) / scale
    const base = dot(vector, this.#mean)
    const norm = this.#turnedDifference(vector)
    const tables = new Uint8Array(this.#memory.buffer, tablesAt, 32 * this.#bytes)
    return { ...fillSignTables(tables, vector), base, norm }
  }

  #reserve(rows: number): void {
    this.#size = Math.max(this.#size, rows)
    const hadRoomFor = this.#chosen.length
    if (rows <= hadRoomFor) return
    this.#chosen = new Int32Array(Math.ceil(rows / chunkRows) * chunkRows)
    const end = this.#chunkAt(this.#chosen.length)
    if (end > this.#codes.byteLength) {
      grow(this.#memory, end)
      this.#codes = new Uint8Array(this.#memory.buffer)
      this.#numbers = new Float32Array(this.#memory.buffer)
    }
    for (let first = hadRoomFor; first < this.#chosen.length; first += chunkRows) {
      const at = this.#numbersAt(first)
      this.#numbers.fill(Number.NaN, at, at + chunkRows)
    }
  }
}

function meanOf(rows: QuantizedRows, slots: Int32Array): Float32Array {
  const sum = new Float64Array(rows.dimensions)
  let count = 0
  const every = Math.max(1, Math.floor(slots.length / sampledRows))
  for (let at = 0; at < slots.length; at += every) {
    const vector = rows.vectorOf(slots[at] ?? 0)
    // This row was deleted meanwhile.
    if (Number.isNaN(vector[0])) continue
    for (const [i, component] of vector.entries()) sum[i] = (sum[i] ?? 0) + component
    count += 1
  }
  return Float32Array.from(sum, (each) => each / Math.max(1, count))
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

/**
 * Fills one table for every four components: the sums for all their signs, in steps from the least
 * sum.
 */
function fillSignTables(tables: Uint8Array, vector: Float32Array) {
  const groups = tables.length / 16
  let peak = 0
  for (let group = 0; group < groups; group += 1) {
    peak = Math.max(peak, sumOfSizes(vector, 4 * group, 4))
  }
  // No entry may exceed 127, and the sum of all must fit into 16 bits.
  const step = (2 * peak) / Math.min(127, Math.floor(65_535 / groups)) || 1
  const sums = new Float64Array(16)
  for (let group = 0; group < groups; group += 1) {
    sums[0] = 0
    for (let bit = 0; bit < 4; bit += 1) {
      sums[0] += Math.max(0, -2 * (vector[4 * group + bit] ?? 0))
    }
    for (let signs = 1; signs < 16; signs += 1) {
      const component = vector[4 * group + 31 - Math.clz32(signs & -signs)] ?? 0
      sums[signs] = (sums[signs & (signs - 1)] ?? 0) + 2 * component
    }
    for (let signs = 0; signs < 16; signs += 1) {
      tables[16 * group + signs] = Math.round((sums[signs] ?? 0) / step)
    }
  }
  return { low: -sumOfSizes(vector, 0, vector.length), step }
}

function sumOfSizes(vector: Float32Array, first: number, count: number): number {
  let sum = 0
  for (let i = first; i < first + count; i += 1) sum += Math.abs(vector[i] ?? 0)
  return sum
}
