import { grow, type Kernel, kernelOn, newMemory } from '../vectors/kernels.ts'

/** So many rows are compared with so many others in one call of the kernel. */
export const tileRows = 96
// Where the kernel finds its arguments: the products of a tile, then the rows, then others to compare with.
const productsAt = 0
const rowsAt = 65_536

/** Rows of unit length in the memory of the kernels, and others, such as centres of clusters, behind them. */
export class Matrix {
  readonly dimensions: number
  rows = 0
  others = 0
  readonly #stride: number
  readonly #multiply: Kernel
  readonly #memory = newMemory()
  #values = new Float32Array(this.#memory.buffer)

  /** @param module as `compileKernels` gives it */
  constructor(module: WebAssembly.Module, dimensions: number) {
    this.dimensions = dimensions
    this.#stride = Math.ceil(dimensions / 4) * 16
    this.#multiply = kernelOn(this.#memory, module, 'multiply')
  }

  /** The last product of `multiply`: row i with row j is at i * wide + j. */
  get products(): Float32Array {
    return this.#values
  }

  /** Only before there are others. */
  add(vector: Float32Array): void {
    this.#reserve(this.rows + 1)
    this.#write(this.rows, vector)
    this.rows += 1
  }

  replace(row: number, vector: Float32Array): void {
    this.#write(row, vector)
  }

  /** A view, until rows are added. */
  row(row: number): Float32Array {
    const at = (rowsAt + row * this.#stride) / 4
    return this.#values.subarray(at, at + this.dimensions)
  }

  setOthers(vectors: readonly Float32Array[]): void {
    const copies = vectors.map((vector) => vector.slice())
    // The kernel reads past the last row to the end of its tile.
    this.#reserve(this.rows + copies.length + tileRows)
    for (const [i, vector] of copies.entries()) this.#write(this.rows + i, vector)
    this.others = copies.length
  }

  /** For rows that lie side by side, at most a tile of them: the number of the other that is nearest. */
  nearestOther(first: number, height: number): Int32Array {
    const nearest = new Int32Array(height)
    const best = new Float32Array(height).fill(Number.NEGATIVE_INFINITY)
    for (let other = 0; other < this.others; other += tileRows) {
      const width = Math.min(tileRows, this.others - other)
      const wide = this.multiply(first, height, this.rows + other, width)
      for (let i = 0; i < height; i += 1) {
        for (let j = 0; j < width; j += 1) {
          const product = this.#values[i * wide + j] ?? 0
          if (product <= (best[i] ?? 0)) continue
          best[i] = product
          nearest[i] = other + j
        }
      }
    }
    return nearest
  }

  /** For each of the others so many of the nearest, itself first. */
  nearestOfOthers(most: number): Int32Array[] {
    return Array.from({ length: this.others }, (_, one) => {
      const products = new Float32Array(this.others)
      for (let other = 0; other < this.others; other += tileRows) {
        const width = Math.min(tileRows, this.others - other)
        this.multiply(this.rows + one, 1, this.rows + other, width)
        products.set(this.#values.subarray(0, width), other)
      }
      products[one] = Number.POSITIVE_INFINITY
      const places = Int32Array.from(products, (_product, place) => place)
      return places.sort((i, j) => (products[j] ?? 0) - (products[i] ?? 0) || i - j).slice(0, most)
    })
  }

  /** @returns how many products there are of each row */
  multiply(first: number, height: number, other: number, width: number): number {
    const wide = Math.ceil(width / 4) * 4
    const even = Math.ceil(height / 2) * 2
    const [one, two] = [rowsAt + first * this.#stride, rowsAt + other * this.#stride]
    this.#multiply(one, even, two, wide, this.#stride, productsAt)
    return wide
  }

  /** @param order which row is to come where */
  reorder(order: Int32Array): void {
    const isDone = new Uint8Array(order.length)
    for (let start = 0; start < order.length; start += 1) {
      if (isDone[start] === 1) continue
      const kept = this.row(start).slice()
      for (let at = start; ; ) {
        isDone[at] = 1
        const from = order[at] ?? 0
        if (from === start) {
          this.row(at).set(kept)
          break
        }
        this.row(at).set(this.row(from))
        at = from
      }
    }
  }

  #write(place: number, vector: Float32Array): void {
    let squares = 0
    for (const element of vector) squares += element * element
    // What has no direction is near to nothing.
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0
    const at = (rowsAt + place * this.#stride) / 4
    for (let i = 0; i < vector.length; i += 1) this.#values[at + i] = (vector[i] ?? 0) * scale
  }

  /** @throws RangeError when there is no such memory */
  #reserve(rows: number): void {
    const end = rowsAt + rows * this.#stride
    if (end <= this.#values.byteLength) return
    grow(this.#memory, end)
    this.#values = new Float32Array(this.#memory.buffer)
  }
}
