import { enlarged, grow, type Kernel, kernelOn, newMemory } from '../vectors/kernels.ts'
import { LargestLists } from '../vectors/largest-lists.ts'
import { nearestOf } from './nearest.ts'
import type { QuantizedQuery, QuantizedRows } from './quantized-rows.ts'
import { randomRotation } from './random-rotation.ts'

/** With fewer, signs say little. */
export const minDimensions = 64
/** An estimate is further off in one of three million cases. */
const standardErrors = 5
/** What rounding to 16 bits may have changed of a similarity. */
const noise = 1e-4
/** The mean is of so many: from any vector the estimates are right, and from it they are narrow. */
const sampledRows = 2_000
/** Of the best by their estimates it is found out how similar the nearest are at least. */
const minCompared = 32
/** The kernel takes 16 codes at once, and so many blocks of them in a call. */
const blockCodes = 16
const blocksAtOnce = 128

// Where the kernel finds its arguments.
const sumsAt = 0
const tablesAt = 2 * blockCodes * blocksAtOnce

/** What the estimates for a query are made of. */
interface Estimator {
  readonly base: number
  /** The sum of signs × components is `low + step × sum`. */
  readonly low: number
  readonly step: number
  /** L2 norm of its difference from the mean. */
  readonly norm: number
}

/**
 * One bit a component of each row: the sign of its difference from the mean, turned at random. By these a
 * similarity is estimated without bias, with a standard error that is known for each row: so it is known
 * which rows may be among the nearest, however unlike the others they are.
 * Source: Gao and Long, RaBitQ, SIGMOD 2024 (arXiv 2405.12497), section 3; sums by tables of four bits:
 * André, Kermarrec and Le Scouarnec, Accelerated Nearest Neighbor Search with Quick ADC, ICMR 2017.
 */
export class SignCodes {
  readonly #rows: QuantizedRows
  readonly #mean: Float32Array
  readonly #meanSquare: number
  readonly #rotate: (vector: Float32Array) => void
  readonly #sumOfTables: Kernel
  readonly #memory = newMemory()
  readonly #bytes: number
  readonly #codesAt: number
  #codes = new Uint8Array(this.#memory.buffer)
  #size = 0
  // Of each row: similarity ≈ base + offset + factor × (low + step × sum), ± error × norm.
  #offsets = new Float32Array(0)
  #factors = new Float32Array(0)
  #errors = new Float32Array(0)
  // Of the query at hand; kept, since as many bytes would be made and cleared for every search.
  #estimates = new Float32Array(0)
  #chosen = new Int32Array(0)

  /** @param slots of rows to take the mean of */
  constructor(module: WebAssembly.Module, rows: QuantizedRows, slots: Int32Array) {
    this.#sumOfTables = kernelOn(this.#memory, module, 'sumOfTables')
    this.#rows = rows
    this.#mean = meanOf(rows, slots)
    this.#meanSquare = dot(this.#mean, this.#mean)
    this.#rotate = randomRotation(rows.dimensions)
    this.#bytes = Math.ceil(rows.dimensions / 8)
    this.#codesAt = tablesAt + 32 * this.#bytes
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
    this.#offsets[slot] = offset
    this.#factors[slot] = norm / (cosine * Math.sqrt(dimensions))
    this.#errors[slot] =
      (norm * Math.sqrt(Math.max(0, 1 - cosine ** 2) / (dimensions - 1))) / cosine
    const at = this.#codesAt + Math.floor(slot / blockCodes) * blockCodes * this.#bytes
    for (let byte = 0; byte < this.#bytes; byte += 1) {
      let signs = 0
      for (let bit = 0; bit < 8; bit += 1) if ((vector[8 * byte + bit] ?? 0) > 0) signs |= 1 << bit
      this.#codes[at + byte * blockCodes + (slot % blockCodes)] = signs
    }
  }

  /** Its estimates are not a number, so that they are no larger than any. */
  clear(slot: number): void {
    this.#reserve(slot + 1)
    this.#factors[slot] = Number.NaN
  }

  /**
   * The slots of all that may be among the `count` nearest of `slots`. Its loops go by index: through an
   * iterator they take three times as long with Bun, and half as long again with Node.
   * @returns in an array that the next call overwrites; undefined where that is nearly all
   */
  choose(query: QuantizedQuery, count: number, slots: Int32Array): Int32Array | undefined {
    if (2 * count > slots.length) return undefined
    const estimator = this.#estimator(query)
    const estimates = this.#estimate(estimator)
    const compared = Math.min(Math.max(2 * count, minCompared), slots.length)
    const best = new LargestLists(1, compared, Float64Array)
    let minKept = Number.NEGATIVE_INFINITY
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i] ?? 0
      const estimate = estimates[slot] ?? 0
      if (estimate > minKept) minKept = best.add(0, estimate, slot)
    }
    const { completeDownTo } = nearestOf(this.#rows, query, best.keysOf(0), count)
    const spread = standardErrors * estimator.norm
    const least = completeDownTo - noise - query.error
    const [chosen, errors] = [this.#chosen, this.#errors]
    let found = 0
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i] ?? 0
      if ((estimates[slot] ?? 0) + spread * (errors[slot] ?? 0) >= least) {
        chosen[found] = slot
        found += 1
      }
    }
    return 2 * found > slots.length ? undefined : chosen.subarray(0, found)
  }

  /** Turns `vector` into its turned difference from the mean. @returns the norm of it */
  #turnedDifference(vector: Float32Array): number {
    for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) - (this.#mean[i] ?? 0)
    const norm = Math.sqrt(dot(vector, vector))
    this.#rotate(vector)
    return norm
  }

  /** Fills the tables: of each four components the sums for all their signs, in steps from the least one. */
  #estimator({ values, scale }: QuantizedQuery): Estimator {
    const vector = Float32Array.from(values)
    for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) / scale
    const base = dot(vector, this.#mean)
    const norm = this.#turnedDifference(vector)
    const groups = 2 * this.#bytes
    let peak = 0
    for (let group = 0; group < groups; group += 1) {
      peak = Math.max(peak, sumOfSizes(vector, 4 * group, 4))
    }
    // No entry may be above 127, and the sum of all must fit into 16 bits.
    const step = (2 * peak) / Math.min(127, Math.floor(65_535 / groups)) || 1
    const tables = new Uint8Array(this.#memory.buffer, tablesAt, 16 * groups)
    for (let group = 0; group < groups; group += 1) fill(tables, group, vector, step)
    return { base, low: -sumOfSizes(vector, 0, vector.length), step, norm }
  }

  /** By slot. */
  #estimate({ base, low, step }: Estimator): Float32Array {
    const [offsets, factors, estimates] = [this.#offsets, this.#factors, this.#estimates]
    const sums = new Uint16Array(this.#memory.buffer, sumsAt, blockCodes * blocksAtOnce)
    for (let first = 0; first < this.#size; first += sums.length) {
      const count = Math.min(sums.length, this.#size - first)
      const blocks = Math.ceil(count / blockCodes)
      const codes = this.#codesAt + first * this.#bytes
      this.#sumOfTables(tablesAt, codes, this.#bytes, blocks, sumsAt)
      for (let i = 0; i < count; i += 1) {
        const slot = first + i
        const signed = low + step * (sums[i] ?? 0)
        estimates[slot] = base + (offsets[slot] ?? 0) + (factors[slot] ?? 0) * signed
      }
    }
    return estimates
  }

  #reserve(rows: number): void {
    this.#size = Math.max(this.#size, rows)
    const end = this.#codesAt + Math.ceil(rows / blockCodes) * blockCodes * this.#bytes
    if (end > this.#codes.byteLength) {
      grow(this.#memory, end)
      this.#codes = new Uint8Array(this.#memory.buffer)
    }
    if (rows <= this.#factors.length) return
    this.#offsets = enlarged(this.#offsets, rows)
    this.#factors = enlarged(this.#factors, rows)
    this.#errors = enlarged(this.#errors, rows)
    this.#estimates = new Float32Array(this.#factors.length)
    this.#chosen = new Int32Array(this.#factors.length)
  }
}

function meanOf(rows: QuantizedRows, slots: Int32Array): Float32Array {
  const sum = new Float64Array(rows.dimensions)
  let count = 0
  const every = Math.max(1, Math.floor(slots.length / sampledRows))
  for (let at = 0; at < slots.length; at += every) {
    const vector = rows.vectorOf(slots[at] ?? 0)
    // One that was deleted meanwhile.
    if (Number.isNaN(vector[0])) continue
    for (const [i, component] of vector.entries()) sum[i] = (sum[i] ?? 0) + component
    count += 1
  }
  return Float32Array.from(sum, (each) => each / Math.max(1, count))
}

/** By the signs of four components, how much more their sum is than the least one, in steps. */
function fill(tables: Uint8Array, group: number, vector: Float32Array, step: number): void {
  const at = 16 * group
  const least = sumOfSizes(vector, 4 * group, 4)
  for (let signs = 0; signs < 16; signs += 1) {
    let sum = least
    for (let bit = 0; bit < 4; bit += 1) {
      const component = vector[4 * group + bit] ?? 0
      sum += (signs >> bit) & 1 ? component : -component
    }
    tables[at + signs] = Math.round(sum / step)
  }
}

function sumOfSizes(vector: Float32Array, first: number, count: number): number {
  let sum = 0
  for (let i = first; i < first + count; i += 1) sum += Math.abs(vector[i] ?? 0)
  return sum
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}
