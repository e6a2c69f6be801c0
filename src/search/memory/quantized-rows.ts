import type { NumberArray } from './files/array-file.ts'
import { enlarged, grow, kernelOn, maxMemoryBytes, newMemory } from './kernels.ts'

/** Largest value of a component. */
const largest = 127
/** Rows compared in one call of the kernel. Its buffers have room for as many. */
export const blockRows = 2_048
const maxDimensions = 16_000

// Addresses of the arguments of the kernels, below the rows.
const queryAt = 0
const slotsAt = 2 * maxDimensions
const productsAt = slotsAt + 4 * blockRows
const sumAt = productsAt + 4 * blockRows
const rowsAt = 2 * 65_536

/** Bytes of a row, padded with zeros to a multiple of 16. */
const strideOf = (dimensions: number) => Math.ceil(dimensions / 16) * 16

/** Whether the rows of this many vectors fit into one memory, which 32-bit addresses limit. */
export const hasRoomFor = ({ vectors, dimensions }: { vectors: number; dimensions: number }) =>
  rowsAt + vectors * strideOf(dimensions) <= maxMemoryBytes

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
  readonly #stride: number
  readonly #memory = newMemory()
  readonly #dotProducts = kernelOn(this.#memory, 'dotProducts')
  readonly #addRows = kernelOn(this.#memory, 'addRows')
  // Views of the memory, until it grows.
  /** The row of a slot begins at slot × `#stride`. */
  #bytes = new Int8Array(0)
  /** One component for each dimension; the padding stays zero. */
  #query = new Int16Array(0)
  #block = new Int32Array(0)
  #products = new Int32Array(0)
  /** In the place of the products: by what `sumOf` multiplies the rows of the block. */
  #weights = new Float32Array(0)
  #sum = new Float32Array(0)
  /** The value of one unit of a byte, by slot. */
  #units = new Float32Array(0)
  #errors = new Float32Array(0)
  /** The largest error of any row so far, including deleted ones. */
  readonly #largest = new Float64Array(1)
  #factor = 0
  readonly #compared = new Float32Array(blockRows)

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#stride = strideOf(dimensions)
    grow(this.#memory, rowsAt)
    this.#view()
  }

  /** Stores the unit vector in the direction of `vector`. */
  set(slot: number, vector: Float32Array): void {
    this.#reserve(slot + 1)
    const { norm, largest: peak } = measure(vector)
    const [scale, unit] = norm === 0 ? [0, 0] : [largest / peak, peak / (largest * norm)]
    const at = slot * this.#stride
    let squares = 0
    for (let i = 0; i < vector.length; i += 1) {
      const component = vector[i] ?? 0
      const value = Math.round(component * scale)
      this.#bytes[at + i] = value
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
    const bytes = this.#bytes.subarray(0, rows * this.#stride)
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
    return this.#block
  }

  /** What `compare` compares with from now on. */
  begin(query: QuantizedQuery): void {
    this.#query.set(query.values)
    this.#factor = 1 / query.scale
  }

  /** The same with a row of these or of others. */
  beginWith(rows: QuantizedRows, slot: number): void {
    const at = slot * this.#stride
    this.#query.set(rows.#bytes.subarray(at, at + this.dimensions))
    this.#factor = rows.#units[slot] ?? 0
  }

  /** Cosine similarities with the first `count` slots of `block`; the next call overwrites them. */
  compare(count: number): Float32Array {
    const [block, products, compared] = [this.#block, this.#products, this.#compared]
    const [units, factor] = [this.#units, this.#factor]
    // The kernel takes four rows at a time.
    const filled = Math.ceil(count / 4) * 4
    for (let at = count; at < filled; at += 1) block[at] = 0
    this.#dotProducts(queryAt, slotsAt, filled, rowsAt, this.#stride, productsAt)
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
    this.#sum.fill(0)
    for (let first = 0; first < slots.length; first += blockRows) {
      const count = Math.min(blockRows, slots.length - first)
      for (let i = 0; i < count; i += 1) {
        const slot = slots[first + i] ?? 0
        this.#block[i] = slot
        this.#weights[i] = this.#units[slot] || 0
      }
      this.#addRows(sumAt, slotsAt, count, rowsAt, this.#stride, productsAt)
    }
    return this.#sum.slice(0, this.dimensions)
  }

  /** @throws RangeError if there is not enough memory */
  #reserve(rows: number): void {
    const size = rows * this.#stride
    if (size > this.#bytes.length) {
      grow(this.#memory, rowsAt + size)
      this.#view()
    }
    if (rows > this.#units.length) {
      this.#units = enlarged(this.#units, rows, Float32Array)
      this.#errors = enlarged(this.#errors, rows, Float32Array)
    }
  }

  #view(): void {
    const { buffer } = this.#memory
    this.#bytes = new Int8Array(buffer, rowsAt)
    this.#query = new Int16Array(buffer, queryAt, this.#stride)
    this.#block = new Int32Array(buffer, slotsAt, blockRows)
    this.#products = new Int32Array(buffer, productsAt, blockRows)
    this.#weights = new Float32Array(buffer, productsAt, blockRows)
    this.#sum = new Float32Array(buffer, sumAt, this.#stride)
  }
}

/** The error of a similarity from those of its row and of the query. */
const withQuery = (error: number, query: QuantizedQuery) => error + query.error * (1 + error)

function measure(vector: Float32Array): { norm: number; largest: number } {
  let squares = 0
  let peak = 0
  for (let i = 0; i < vector.length; i += 1) {
    const component = vector[i] ?? 0
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
