import { Matrix, tileRows } from './matrix.ts'
import { principalAxes } from './principal-axes.ts'

/** Of real embeddings so many directions have most of what tells them apart. */
export const reducedDimensions = 256

/** Vectors in fewer dimensions: those in which a sample of them varies most. */
export class Reduction {
  readonly #matrix: Matrix
  readonly #axes: number

  /** @param sample vectors of the same dimensions, evenly from all of them */
  constructor(module: WebAssembly.Module, sample: readonly Float32Array[], dimensions: number) {
    const unit = new Matrix(module, dimensions)
    for (const vector of sample) unit.add(vector)
    const rows = sample.map((_, row) => unit.row(row))
    const axes = principalAxes(rows, dimensions, Math.min(reducedDimensions, dimensions))
    this.#axes = axes.length
    this.#matrix = new Matrix(module, dimensions)
    // Rows to be overwritten, since what they are multiplied with lies behind them.
    for (let row = 0; row < tileRows; row += 1)
      this.#matrix.add(new Float32Array(dimensions).fill(1))
    this.#matrix.setOthers(axes.map((axis) => Float32Array.from(axis)))
  }

  of(vector: Float32Array): Float32Array {
    const reduced = new Float32Array(this.#axes)
    this.#matrix.replace(0, vector)
    for (let axis = 0; axis < this.#axes; axis += tileRows) {
      const width = Math.min(tileRows, this.#axes - axis)
      this.#matrix.multiply(0, 1, tileRows + axis, width)
      reduced.set(this.#matrix.products.subarray(0, width), axis)
    }
    return reduced
  }
}
