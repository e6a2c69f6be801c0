import { ByteRows, blockRows } from './byte-rows.ts'
import type { NumberArray } from './files/array-file.ts'
import { enlarged } from './kernels.ts'

/** Largest value of a component. */
const largest = 127

export type Slots = Int32Array | readonly number[]

/** A unit vector in the form that the kernel needs: `component ≈ values[i] / scale`. */
export interface QuantizedQuery {
  readonly values: Int16Array
  readonly scale: number
  /** L2 norm of the rounding error. */
  readonly error: number
}

/**
 * Unit vectors with 8 bits per component. The norm of each row's rounding error is kept, so that the
 * Cauchy-Schwarz inequality bounds the error of every similarity:
 * q·x − q'·x'| ≤ |q − q'| |x'| + |q| |x − x'|.
 */
export class QuantizedRows {
  readonly dimensions: number
  readonly #bytes: ByteRows
  /** The value of one unit of a byte, by slot. */
  #units = new Float32Array(0)
  #errors = new Float32Array(0)
  /** The largest error of any row so far, including deleted ones. */
  readonly #largest = new Float64Array(1)
  #factor = 0
  readonly #compared = new Float32Array(blockRows)
  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#bytes = new ByteRows(dimensions)
  }

  /** Stores the unit vector in the direction of `vector`. */
  set(slot: number, vector: Float32Array): void {
    this.#reserve(slot + 1)
    const { norm, largest: peak } = measure(vector)
    const [scale, unit] = norm === 0 ? [0, 0] : [largest / peak, peak / (largest * norm)]
    const at = slot * this.#bytes.stride
    let squares = 0
    for (let i = 0; i < vector.length; i += 1) {
      const component = vector[i] ?? 0
      const value = Math.round(component * scale)
      this.#bytes.bytes[at + i] = value
      const error = component / (norm || 1) - value * unit
      squares += error * error
    }
    this.#units[slot] = unit
    this.#errors[slot] = Math.sqrt(squares)
    this.#largest[0] = Math.max(this.#largest[0] ?? 0, this.#errors[slot] ?? 0)
  }

  /** What a file holds of so many rows, and what is filled from it. */
  arrays(rows: number): readonly NumberArray[] {
    this.#reserve(rows)
    const bytes = this.#bytes.bytes.subarray(0, rows * this.#bytes.stride)
    return [bytes, this.#units.subarray(0, rows), this.#errors.subarray(0, rows), this.#largest]
  }

  /** Empties a slot. Its similarities become NaN, which is not larger than any number. */
  clear(slot: number): void {
    this.#units[slot] = Number.NaN
  }

  /** How far a value of `similarities` can be from the true one. */
  errorOf(slot: number, query: QuantizedQuery): number {
    return withQuery(this.#errors[slot] ?? 0, query)
  }

  /** How far any value of `similarities` can be from the true one. */
  largestErrorOf(query: QuantizedQuery): number {
    return withQuery(this.#largest[0] ?? 0, query)
  }

  /** The slots that `compare` takes, from the first on; at most `blockRows`. */
  get block(): Int32Array {
    return this.#bytes.block
  }

  /** What `compare` compares with from now on. */
  begin(query: QuantizedQuery): void {
    this.#bytes.query.set(query.values)
    this.#factor = 1 / query.scale
  }

  /** The same with a row of these or of others. */
  beginWith(rows: QuantizedRows, slot: number): void {
    const at = slot * rows.#bytes.stride
    this.#bytes.query.set(rows.#bytes.bytes.subarray(at, at + this.dimensions))
    this.#factor = rows.#units[slot] ?? 0
  }

  /** Cosine similarities with the first `count` slots of `block`; the next call overwrites them. */
  compare(count: number): Float32Array {
    const { block, products } = this.#bytes
    this.#bytes.multiply(count)
    const [compared, units, factor] = [this.#compared, this.#units, this.#factor]
    for (let i = 0; i < count; i += 1) {
      compared[i] = (products[i] ?? 0) * (units[block[i] ?? 0] ?? 0) * factor
    }
    return compared
  }

  /** Cosine similarities with the rows of `slots`. */
  similarities(query: QuantizedQuery, slots: Int32Array): Float32Array {
    const result = new Float32Array(slots.length)
    this.begin(query)
    for (let first = 0; first < slots.length; first += blockRows) {
      const some = slots.subarray(first, first + blockRows)
      this.block.set(some)
      result.set(this.compare(some.length).subarray(0, some.length), first)
    }
    return result
  }

  /** The sum of the unit vectors of these slots, as rounded, without those that are emptied. */
  sumOf(slots: Slots): Float32Array {
    const { block } = this
    this.#bytes.sum.fill(0)
    for (let first = 0; first < slots.length; first += blockRows) {
      const count = Math.min(blockRows, slots.length - first)
      for (let i = 0; i < count; i += 1) {
        const slot = slots[first + i] ?? 0
        block[i] = slot
        this.#bytes.weights[i] = this.#units[slot] || 0
      }
      this.#bytes.add(count)
    }
    return this.#bytes.sum.slice(0, this.dimensions)
  }

  #reserve(rows: number): void {
    this.#bytes.reserve(rows)
    if (rows > this.#units.length) {
      this.#units = enlarged(this.#units, rows, Float32Array)
      this.#errors = enlarged(this.#errors, rows, Float32Array)
    }
  }
}

/** The error of a similarity from those of its row and of the query. */
const withQuery = (error: number, query: QuantizedQuery) => error + query.error * (1 + error)

function measure(vector: Float32Array): { norm: number; largest: number } {
  let squares = 0
  let peak = 0
  for (const component of vector) {
    squares += component * component
    peak = Math.max(peak, Math.abs(component))
  }
  return { norm: Math.sqrt(squares), largest: peak }
}

/** The largest sum that the kernel's 32-bit lanes hold, with a margin. */
const maxProduct = 0.95 * 2 ** 31

/** @returns the unit vector in the direction of `vector` for comparisons with rows */
export function queryOf(vector: Float32Array): QuantizedQuery {
  const { norm, largest: peak } = measure(vector)
  if (norm === 0) return { values: new Int16Array(vector.length), scale: 1, error: 0 }
  // No row has a norm above 128 √dimensions; by Cauchy-Schwarz no sum overflows.
  const byProduct = maxProduct / (128 * Math.sqrt(vector.length))
  const scale = Math.min((32_767 * norm) / peak, byProduct)
  const values = new Int16Array(vector.length)
  let squares = 0
  for (let i = 0; i < vector.length; i += 1) {
    const unit = (vector[i] ?? 0) / norm
    values[i] = Math.round(unit * scale)
    const error = unit - (values[i] ?? 0) / scale
    squares += error * error
  }
  return { values, scale, error: Math.sqrt(squares) }
}
