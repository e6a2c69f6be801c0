import { grow, type Kernel, kernelOn, maxMemoryBytes, newMemory } from './kernels.ts'

/** Rows compared in one call of the kernel. Its buffers have room for as many. */
const blockRows = 2_048
const maxDimensions = 16_000

// Addresses of the arguments of the kernel, below the rows.
const queryAt = 0
const slotsAt = 2 * maxDimensions
const productsAt = slotsAt + 4 * blockRows
const rowsAt = 65_536

/** Receives the slots of a block and their products, which the next block overwrites. */
type TakeProducts = (block: Int32Array, products: Int32Array, first: number, count: number) => void

const strideOf = (dimensions: number) => Math.ceil(dimensions / 16) * 16

/** Whether the rows of this many vectors fit into one memory, which 32-bit addresses limit. */
export const hasRoomFor = ({ vectors, dimensions }: { vectors: number; dimensions: number }) =>
  rowsAt + vectors * strideOf(dimensions) <= maxMemoryBytes

/** Rows of signed bytes in a memory of their own, and their products with a query. */
export class ByteRows {
  /** Bytes per row, padded with zeros to a multiple of 16. */
  readonly stride: number
  readonly #kernel: Kernel
  readonly #memory = newMemory()
  #bytes = new Int8Array(this.#memory.buffer, rowsAt)

  /** @param module from `compileKernels` */
  constructor(module: WebAssembly.Module, dimensions: number) {
    this.stride = strideOf(dimensions)
    this.#kernel = kernelOn(this.#memory, module, 'dotProducts')
  }

  /** The row of a slot begins at slot × `stride`. `reserve` may replace the array. */
  get bytes(): Int8Array {
    return this.#bytes
  }

  /** @throws RangeError if there is not enough memory */
  reserve(rows: number): void {
    const size = rows * this.stride
    if (size <= this.#bytes.length) return
    grow(this.#memory, rowsAt + size)
    this.#bytes = new Int8Array(this.#memory.buffer, rowsAt)
  }

  /** Multiplies the query with the rows of these slots, block by block. */
  multiply(query: Int16Array, slots: Int32Array, take: TakeProducts): void {
    const { buffer } = this.#memory
    const padded = new Int16Array(buffer, queryAt, this.stride)
    padded.fill(0)
    padded.set(query)
    const block = new Int32Array(buffer, slotsAt, blockRows)
    const products = new Int32Array(buffer, productsAt, blockRows)
    for (let first = 0; first < slots.length; first += blockRows) {
      const count = Math.min(blockRows, slots.length - first)
      block.set(slots.subarray(first, first + count))
      const filled = Math.ceil(count / 4) * 4
      block.fill(0, count, filled)
      this.#kernel(queryAt, slotsAt, filled, rowsAt, this.stride, productsAt)
      take(block, products, first, count)
    }
  }
}
