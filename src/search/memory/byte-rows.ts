import { grow, type Kernel, kernelOn, maxMemoryBytes, newMemory } from './kernels.ts'

/** Rows compared in one call of the kernel. Its buffers have room for as many. */
export const blockRows = 2_048
const maxDimensions = 16_000

// Addresses of the arguments of the kernel, below the rows.
const queryAt = 0
const slotsAt = 2 * maxDimensions
const productsAt = slotsAt + 4 * blockRows
const sumAt = productsAt + 4 * blockRows
const rowsAt = 2 * 65_536

const strideOf = (dimensions: number) => Math.ceil(dimensions / 16) * 16

/** Whether the rows of this many vectors fit into one memory, which 32-bit addresses limit. */
export const hasRoomFor = ({ vectors, dimensions }: { vectors: number; dimensions: number }) =>
  rowsAt + vectors * strideOf(dimensions) <= maxMemoryBytes

/** Rows of signed bytes in a memory of their own, and their products with a query. */
export class ByteRows {
  /** Bytes per row, padded with zeros to a multiple of 16. */
  readonly stride: number
  readonly #dotProducts: Kernel
  readonly #addRows: Kernel
  readonly #memory = newMemory()
  // Views of the memory, until it grows.
  /** The row of a slot begins at slot × `stride`. */
  bytes = new Int8Array(0)
  /** One component for each dimension; the padding stays zero. */
  query = new Int16Array(0)
  /** The slots of the rows that `multiply` takes, and their products. */
  block = new Int32Array(0)
  products = new Int32Array(0)
  /** In the place of `products`: by what `add` multiplies the rows of the block. */
  weights = new Float32Array(0)
  sum = new Float32Array(0)
  constructor(dimensions: number) {
    this.stride = strideOf(dimensions)
    this.#dotProducts = kernelOn(this.#memory, 'dotProducts')
    this.#addRows = kernelOn(this.#memory, 'addRows')
    grow(this.#memory, rowsAt)
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
  multiply(count: number): void {
    const filled = Math.ceil(count / 4) * 4
    for (let at = count; at < filled; at += 1) this.block[at] = 0
    this.#dotProducts(queryAt, slotsAt, filled, rowsAt, this.stride, productsAt)
  }

  /** Adds the rows of the first `count` slots of the block to the sum, by their weights. */
  add(count: number): void {
    this.#addRows(sumAt, slotsAt, count, rowsAt, this.stride, productsAt)
  }

  #view(): void {
    const { buffer } = this.#memory
    this.bytes = new Int8Array(buffer, rowsAt)
    this.query = new Int16Array(buffer, queryAt, this.stride)
    this.block = new Int32Array(buffer, slotsAt, blockRows)
    this.products = new Int32Array(buffer, productsAt, blockRows)
    this.weights = new Float32Array(buffer, productsAt, blockRows)
    this.sum = new Float32Array(buffer, sumAt, this.stride)
  }
}
