import { minSimilarity } from '../search/distance.ts'
import { LargestLists } from '../search/memory/largest-lists.ts'

/**
 * Similarities are stored and reported in steps of this size, about the resolution of float32 sums.
 */
const stepsPerUnit = 10_000_000

export interface Best {
  /** Numbers of rows, the most similar first, equal ones by number. */
  readonly neighbours: Int32Array
  /** 0 to 1. */
  readonly similarities: Float64Array
}

/** Keeps the most similar other rows of each of many rows, up to a number. */
export class BestLists {
  /** The product that a row's next neighbour must reach, by row. */
  readonly least: Float64Array
  readonly #lists: LargestLists<Int32Array>

  /** @param threshold the smallest similarity that counts, inclusive */
  constructor(rows: number, most: number, threshold: number) {
    this.least = new Float64Array(rows).fill(minSimilarity(threshold))
    this.#lists = new LargestLists(rows, most, Int32Array)
  }

  /** @param product of unit vectors, at least `least` of the row */
  add(row: number, product: number, other: number): void {
    const steps = Math.min(stepsPerUnit, Math.max(0, Math.round(product * stepsPerUnit)))
    const worst = (this.#lists.add(row, steps, other) - 0.5) / stepsPerUnit
    this.least[row] = Math.max(worst, this.least[row] ?? 0)
  }

  of(row: number): Best {
    const { keys, values } = this.#lists.sorted(row)
    return { neighbours: keys, similarities: values.map((steps) => steps / stepsPerUnit) }
  }
}
