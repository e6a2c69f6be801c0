import { enlarged, grow, type Kernel, kernelOn, newMemory } from '../vectors/kernels.ts'

/** Largest 16-bit value of a component: 127 × 256, so that rounding its upper byte stays within int8. */
const largest = 32_512
/** How many rows are compared in one call of the kernel; also what fits its buffers. */
const blockRows = 2_048
const maxDimensions = 16_000

// Where the kernel finds its arguments, below the rows.
const queryAt = 0
const slotsAt = 2 * maxDimensions
const productsAt = slotsAt + 4 * blockRows
const rowsAt = 65_536

/** A unit vector as the kernel takes it: `component ≈ values[i] / scale`. */
export interface QuantizedQuery {
  readonly values: Int16Array
  readonly scale: number
  /** L2 norm of what rounding has changed. */
  readonly error: number
}

/**
 * Unit vectors in 16 bits a component, of which the upper 8 are what the kernel compares. For each the norm
 * of the rounding error is kept, so that by the Cauchy-Schwarz inequality every similarity comes with a
 * bound: |q·x − q'·x'| ≤ |q − q'| |x'| + |q| |x − x'|.
 */
export class QuantizedRows {
  readonly dimensions: number
  readonly #stride: number
  readonly #kernel: Kernel
  readonly #upperMemory = newMemory()
  readonly #lowerMemory = newMemory()
  #upper = new Int8Array(this.#upperMemory.buffer)
  #lower = new Int8Array(this.#lowerMemory.buffer)
  /** What a unit of the upper byte is worth. */
  #units = new Float32Array(0)
  #errors = new Float32Array(0)
  /** Of all rows that there ever were. */
  #largestError = 0

  /** @param module as `compileKernels` gives it */
  constructor(module: WebAssembly.Module, dimensions: number) {
    this.dimensions = dimensions
    this.#stride = Math.ceil(dimensions / 16) * 16
    this.#kernel = kernelOn(this.#upperMemory, module, 'dotProducts')
  }

  /** Stores the unit vector in the direction of `vector`. */
  set(slot: number, vector: Float32Array): void {
    this.#reserve(slot + 1)
    const { norm, largest: peak } = measure(vector)
    const [scale, unit] = norm === 0 ? [0, 0] : [largest / peak, (256 * peak) / (largest * norm)]
    const at = slot * this.#stride
    let squares = 0
    for (let i = 0; i < vector.length; i += 1) {
      const value = Math.round((vector[i] ?? 0) * scale)
      const high = (value + 128) >> 8
      this.#upper[rowsAt + at + i] = high
      this.#lower[at + i] = value - high * 256
      const error = (vector[i] ?? 0) / (norm || 1) - high * unit
      squares += error * error
    }
    this.#units[slot] = unit
    this.#errors[slot] = Math.sqrt(squares)
    this.#largestError = Math.max(this.#largestError, this.#errors[slot] ?? 0)
  }

  /** A row that is none: its similarities are not a number, so that they are no larger than any. */
  clear(slot: number): void {
    this.#units[slot] = Number.NaN
  }

  /** How far a similarity of `similarities` can be from the true one. */
  errorOf(slot: number, query: QuantizedQuery): number {
    const error = this.#errors[slot] ?? 0
    return error + query.error * (1 + error)
  }

  /** How far any of `similarities` can be from the true one. */
  largestErrorOf(query: QuantizedQuery): number {
    return this.#largestError + query.error * (1 + this.#largestError)
  }

  /** How far a similarity of `precisely` can be from the true one: half a unit of the lower byte each. */
  preciseErrorOf(slot: number, query: QuantizedQuery): number {
    const error = ((this.#units[slot] ?? 0) / 512) * Math.sqrt(this.dimensions)
    return error + query.error * (1 + error)
  }

  /** Products with each of `slots`, by the upper bytes: the cosine similarities of unit vectors. */
  similarities(query: QuantizedQuery, slots: Int32Array): Float32Array {
    const result = new Float32Array(slots.length)
    this.#multiply(query, slots, (block, products, first, count) => {
      for (let i = 0; i < count; i += 1) {
        const unit = this.#units[block[i] ?? 0] ?? 0
        result[first + i] = ((products[i] ?? 0) * unit) / query.scale
      }
    })
    return result
  }

  /** In blocks; `take` is given the slots of a block with their products, which the next one overwrites. */
  #multiply(
    { values }: QuantizedQuery,
    slots: Int32Array,
    take: (block: Int32Array, products: Int32Array, first: number, count: number) => void,
  ): void {
    const { buffer } = this.#upperMemory
    const query = new Int16Array(buffer, queryAt, this.#stride)
    query.fill(0)
    query.set(values)
    const block = new Int32Array(buffer, slotsAt, blockRows)
    const products = new Int32Array(buffer, productsAt, blockRows)
    for (let first = 0; first < slots.length; first += blockRows) {
      const count = Math.min(blockRows, slots.length - first)
      block.set(slots.subarray(first, first + count))
      const padded = Math.ceil(count / 4) * 4
      block.fill(0, count, padded)
      this.#kernel(queryAt, slotsAt, padded, rowsAt, this.#stride, productsAt)
      take(block, products, first, count)
    }
  }

  /** The cosine similarity by all 16 bits. */
  precisely(query: QuantizedQuery, slot: number): number {
    const at = slot * this.#stride
    const { values } = query
    const [upper, lower] = [this.#upper, this.#lower]
    let sum = 0
    for (let i = 0; i < values.length; i += 1) {
      sum += (values[i] ?? 0) * ((upper[rowsAt + at + i] ?? 0) * 256 + (lower[at + i] ?? 0))
    }
    return (sum * (this.#units[slot] ?? 0)) / 256 / query.scale
  }

  /** A stored vector, of which rounding to 16 bits has left something; not a number where there is none. */
  vectorOf(slot: number): Float32Array {
    const at = slot * this.#stride
    const unit = (this.#units[slot] ?? 0) / 256
    const vector = new Float32Array(this.dimensions)
    for (let i = 0; i < vector.length; i += 1) {
      vector[i] = ((this.#upper[rowsAt + at + i] ?? 0) * 256 + (this.#lower[at + i] ?? 0)) * unit
    }
    return vector
  }

  /** A stored vector as a query. */
  queryFrom(slot: number): QuantizedQuery {
    const query = queryOf(this.vectorOf(slot))
    return { ...query, error: query.error + this.preciseErrorOf(slot, { ...query, error: 0 }) }
  }

  #reserve(rows: number): void {
    const upper = rowsAt + rows * this.#stride
    if (upper > this.#upper.byteLength) {
      grow(this.#upperMemory, upper)
      this.#upper = new Int8Array(this.#upperMemory.buffer)
    }
    if (upper - rowsAt > this.#lower.byteLength) {
      grow(this.#lowerMemory, upper - rowsAt)
      this.#lower = new Int8Array(this.#lowerMemory.buffer)
    }
    if (rows > this.#units.length) {
      this.#units = enlarged(this.#units, rows)
      this.#errors = enlarged(this.#errors, rows)
    }
  }
}

function measure(vector: Float32Array): { norm: number; largest: number } {
  let squares = 0
  let peak = 0
  for (const component of vector) {
    squares += component * component
    peak = Math.max(peak, Math.abs(component))
  }
  return { norm: Math.sqrt(squares), largest: peak }
}

/** The largest sum that the kernel's 32-bit lanes hold, with something to spare. */
const maxProduct = 0.95 * 2 ** 31

/** @returns the unit vector in the direction of `vector` for comparisons with rows */
export function queryOf(vector: Float32Array): QuantizedQuery {
  const { norm, largest: peak } = measure(vector)
  if (norm === 0) return { values: new Int16Array(vector.length), scale: 1, error: 0 }
  // A row's upper bytes have a norm of at most 127 √dimensions; by Cauchy-Schwarz no sum overflows.
  const byProduct = maxProduct / (127 * Math.sqrt(vector.length))
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
