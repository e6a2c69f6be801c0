import { enlarged, grow, type Kernel, kernelOn, maxMemoryBytes, newMemory } from './kernels.ts'

/** Largest 16-bit value of a component: 127 × 256, so that the rounded upper byte fits int8. */
const largest = 32_512

/** Rows compared in one call of the kernel. Its buffers have room for as many. */
export const blockRows = 2_048
const maxDimensions = 16_000

// Addresses of the arguments of the kernel, below the rows.
const queryAt = 0
const slotsAt = 2 * maxDimensions
const productsAt = slotsAt + 4 * blockRows
const rowsAt = 65_536

/** A unit vector in the form that the kernel needs: `component ≈ values[i] / scale`. */
export interface QuantizedQuery {
  readonly values: Int16Array
  readonly scale: number
  /** L2 norm of the rounding error. */
  readonly error: number
}

/**
 * Unit vectors with 16 bits per component; the kernel compares the upper 8. The norm of each row's
 * rounding error is kept, so that the Cauchy-Schwarz inequality bounds the error of every
 * similarity:
 * q·x − q'·x'| ≤ |q − q'| |x'| + |q| |x − x'|.
 */
export class QuantizedRows {
  readonly dimensions: number
  readonly #upper: ByteRows
  readonly #lower: ByteRows
  /** The value of one unit of the upper byte, by slot. */
  #units = new Float32Array(0)
  #errors = new Float32Array(0)
  /** The largest error of any row so far, including deleted ones. */
  #largestError = 0
  #factor = 0
  readonly #compared = new Float32Array(blockRows)

  /** @param module from `compileKernels` */
  constructor(module: WebAssembly.Module, dimensions: number) {
    this.dimensions = dimensions
    this.#upper = new ByteRows(module, dimensions)
    this.#lower = new ByteRows(module, dimensions)
  }

  /** Stores the unit vector in the direction of `vector`. */
  set(slot: number, vector: Float32Array): void {
    this.#reserve(slot + 1)
    const { norm, largest: peak } = measure(vector)
    const [scale, unit] = norm === 0 ? [0, 0] : [largest / peak, (256 * peak) / (largest * norm)]
    const [upper, lower, at] = this.#bytesOf(slot)
    let squares = 0
    for (let i = 0; i < vector.length; i += 1) {
      const value = Math.round((vector[i] ?? 0) * scale)
      const high = (value + 128) >> 8
      upper[at + i] = high
      lower[at + i] = value - high * 256
      const error = (vector[i] ?? 0) / (norm || 1) - high * unit
      squares += error * error
    }
    this.#units[slot] = unit
    this.#errors[slot] = Math.sqrt(squares)
    this.#largestError = Math.max(this.#largestError, this.#errors[slot] ?? 0)
  }

  /** Empties a slot. Its similarities become NaN, which is not larger than any number. */
  clear(slot: number): void {
    this.#units[slot] = Number.NaN
  }

  isEmpty(slot: number): boolean {
    return Number.isNaN(this.#units[slot] ?? Number.NaN)
  }

  /** Whether two rows have the same direction, as far as 16 bits tell. */
  areEqual(a: number, b: number): boolean {
    for (const { bytes, stride } of [this.#upper, this.#lower]) {
      for (let i = 0; i < this.dimensions; i += 1) {
        if (bytes[a * stride + i] !== bytes[b * stride + i]) return false
      }
    }
    return true
  }

  /** How far a value of `similarities` can be from the true one. */
  errorOf(slot: number, query: QuantizedQuery): number {
    return withQuery(this.#errors[slot] ?? 0, query)
  }

  /** How far any value of `similarities` can be from the true one. */
  largestErrorOf(query: QuantizedQuery): number {
    return withQuery(this.#largestError, query)
  }

  /** The same for `preciseSimilarities`: half a unit of the lower byte per component. */
  preciseErrorOf(slot: number, query: QuantizedQuery): number {
    return withQuery(((this.#units[slot] ?? 0) / 512) * Math.sqrt(this.dimensions), query)
  }

  /** The slots that `compare` takes, from the first on; at most `blockRows`. */
  get block(): Int32Array {
    return this.#upper.block
  }

  /** What `compare` compares with from now on, until other rows are compared. */
  begin(query: QuantizedQuery): void {
    this.#upper.query.set(query.values)
    this.#factor = 1 / query.scale
  }

  /** The same with a stored vector, from its upper bytes. */
  beginWith(slot: number): void {
    const [upper, , at] = this.#bytesOf(slot)
    this.#upper.query.set(upper.subarray(at, at + this.dimensions))
    this.#factor = this.#units[slot] ?? 0
  }

  /** Cosine similarities with the first `count` slots of `block`; the next call overwrites them. */
  compare(count: number): Float32Array {
    const { block, products } = this.#upper
    this.#upper.multiplyBlock(count)
    for (let i = 0; i < count; i += 1) {
      this.#compared[i] = (products[i] ?? 0) * (this.#units[block[i] ?? 0] ?? 0) * this.#factor
    }
    return this.#compared
  }

  /** Cosine similarities with the rows of `slots`, from the upper bytes. */
  similarities(query: QuantizedQuery, slots: Int32Array): Float32Array {
    const result = new Float32Array(slots.length)
    this.#upper.multiply(query.values, slots, (block, products, first, count) => {
      for (let i = 0; i < count; i += 1) {
        const unit = this.#units[block[i] ?? 0] ?? 0
        result[first + i] = ((products[i] ?? 0) * unit) / query.scale
      }
    })
    return result
  }

  /** The same from all 16 bits. */
  preciseSimilarities(query: QuantizedQuery, slots: Int32Array): Float32Array {
    const upper = new Int32Array(slots.length)
    this.#upper.multiply(query.values, slots, (_, products, first, count) => {
      upper.set(products.subarray(0, count), first)
    })
    const result = new Float32Array(slots.length)
    this.#lower.multiply(query.values, slots, (block, products, first, count) => {
      for (let i = 0; i < count; i += 1) {
        const product = 256 * (upper[first + i] ?? 0) + (products[i] ?? 0)
        const unit = (this.#units[block[i] ?? 0] ?? 0) / 256
        result[first + i] = (product * unit) / query.scale
      }
    })
    return result
  }

  /** A stored vector, rounded to 16 bits; NaN for an empty slot. */
  vectorOf(slot: number): Float32Array {
    const [upper, lower, at] = this.#bytesOf(slot)
    const unit = (this.#units[slot] ?? 0) / 256
    const vector = new Float32Array(this.dimensions)
    for (let i = 0; i < vector.length; i += 1) {
      vector[i] = ((upper[at + i] ?? 0) * 256 + (lower[at + i] ?? 0)) * unit
    }
    return vector
  }

  /** A stored vector as a query, with the rounding of its row in the error. */
  queryFrom(slot: number): QuantizedQuery {
    const query = queryOf(this.vectorOf(slot))
    return { ...query, error: query.error + this.preciseErrorOf(slot, { ...query, error: 0 }) }
  }

  /** The bytes of all rows, and where this row begins in them. */
  #bytesOf(slot: number) {
    return [this.#upper.bytes, this.#lower.bytes, slot * this.#upper.stride] as const
  }

  #reserve(rows: number): void {
    this.#upper.reserve(rows)
    this.#lower.reserve(rows)
    if (rows > this.#units.length) {
      this.#units = enlarged(this.#units, rows)
      this.#errors = enlarged(this.#errors, rows)
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
  // Neither half of a row has a norm above 128 √dimensions; by Cauchy-Schwarz no sum overflows.
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

/** Receives the slots of a block and their products, which the next block overwrites. */
type TakeProducts = (block: Int32Array, products: Int32Array, first: number, count: number) => void

const strideOf = (dimensions: number) => Math.ceil(dimensions / 16) * 16

/** Whether the rows of this many vectors fit into one memory, which 32-bit addresses limit. */
export const hasRoomFor = ({ vectors, dimensions }: { vectors: number; dimensions: number }) =>
  rowsAt + vectors * strideOf(dimensions) <= maxMemoryBytes

/** Rows of signed bytes in a memory of their own, and their products with a query. */
class ByteRows {
  /** Bytes per row, padded with zeros to a multiple of 16. */
  readonly stride: number
  readonly #kernel: Kernel
  readonly #memory = newMemory()
  // Views of the memory, until it grows.
  /** The row of a slot begins at slot × `stride`. */
  bytes = new Int8Array(0)
  /** One component for each dimension; the padding stays zero. */
  query = new Int16Array(0)
  /** The slots of the rows that `multiplyBlock` takes, and their products. */
  block = new Int32Array(0)
  products = new Int32Array(0)

  /** @param module from `compileKernels` */
  constructor(module: WebAssembly.Module, dimensions: number) {
    this.stride = strideOf(dimensions)
    this.#kernel = kernelOn(this.#memory, module, 'dotProducts')
    this.#view()
  }

  /** @throws RangeError if there is not enough memory */
  reserve(rows: number): void {
    const size = rows * this.stride
    if (size <= this.bytes.length) return
    grow(this.#memory, rowsAt + size)
    this.#view()
  }

  /** Multiplies the query with the rows of the first `count` slots of the block. */
  multiplyBlock(count: number): void {
    const filled = Math.ceil(count / 4) * 4
    for (let at = count; at < filled; at += 1) this.block[at] = 0
    this.#kernel(queryAt, slotsAt, filled, rowsAt, this.stride, productsAt)
  }

  /** Multiplies the query with the rows of these slots, block by block. */
  multiply(query: Int16Array, slots: Int32Array, take: TakeProducts): void {
    this.query.set(query)
    for (let first = 0; first < slots.length; first += blockRows) {
      const count = Math.min(blockRows, slots.length - first)
      this.block.set(slots.subarray(first, first + count))
      this.multiplyBlock(count)
      take(this.block, this.products, first, count)
    }
  }

  #view(): void {
    const { buffer } = this.#memory
    this.bytes = new Int8Array(buffer, rowsAt)
    this.query = new Int16Array(buffer, queryAt, this.stride)
    this.block = new Int32Array(buffer, slotsAt, blockRows)
    this.products = new Int32Array(buffer, productsAt, blockRows)
  }
}
