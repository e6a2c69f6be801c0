import { unitOf } from '../search/memory/float-rows.ts'
import { grow, kernelOn, newMemory } from '../search/memory/kernels.ts'
import { LargestLists } from '../search/memory/largest-lists.ts'
import { minSimilarity } from '../search/ranking.ts'

/** At most so many rows are compared with as many others in one call of the kernel. */
const maxTileRows = 96
/** Two tiles of rows fit into a typical second-level cache. */
const tileBytes = 192 * 1024

// Addresses in the memory of the kernel: the products of a tile, then the rows.
const productsAt = 0
const rowsAt = 131_072

export interface PairsOptions {
  readonly dimensions: number
  /** Most neighbours of a row, 1 to 255. */
  readonly k: number
  /** The smallest similarity of a neighbour, 0 to 1, inclusive. */
  readonly threshold: number
}

/** The neighbours of a row. */
interface Best {
  /** Numbers of rows, the most similar first, equal ones by number. */
  readonly neighbours: Int32Array
  /** 0 to 1. */
  readonly similarities: Float64Array
}

/** Consecutive rows with their neighbours. */
export interface FoundNeighbours {
  /** The number of the first of these rows. */
  readonly first: number
  readonly rows: readonly Best[]
}

interface Tile {
  readonly first: number
  readonly rows: number
}

/**
 * Finds the nearest neighbours of every row of a matrix by products of float32 unit vectors, which
 * are within 1e-6 of the cosine: 16 roundings (two of elements, one of a product, 13 of sums) of
 * 2^-24. Each product serves both of its rows, so a row is finished once it was compared with all
 * later rows too.
 */
export class AllPairs {
  readonly #options: PairsOptions
  readonly #stride: number
  readonly #tileRows: number
  readonly #memory = newMemory()
  readonly #multiply = kernelOn(this.#memory, 'multiply')
  #matrix = new Float32Array(this.#memory.buffer)
  #products = new Float64Array(this.#memory.buffer)
  readonly #groups: number[] = []
  #size = 0
  #lists: BestLists | undefined
  #first = 0
  #next = 0

  constructor(options: PairsOptions) {
    this.#options = options
    this.#stride = Math.ceil(options.dimensions / 4) * 16
    const fitting = Math.floor(tileBytes / this.#stride / 4) * 4
    this.#tileRows = Math.max(4, Math.min(maxTileRows, fitting))
  }

  /**
   * @param group rows of the same group are not neighbours of each other; undefined for no such
   *   rule
   */
  add(vector: Float32Array, group?: number): void {
    this.#reserve(this.#size + 1)
    this.#matrix.set(unitOf(vector).components, (rowsAt + this.#size * this.#stride) / 4)
    if (group !== undefined) this.#groups.push(group)
    this.#size += 1
  }

  /**
   * @param first the number of the first row whose neighbours are wanted; all later ones are wanted
   *   too
   */
  start(first: number): void {
    // The kernel reads past the last row to the end of its tile: zeros, which are skipped.
    this.#reserve(this.#size + this.#tileRows)
    this.#lists = new BestLists(this.#size, this.#options.k, this.#options.threshold)
    this.#first = first
    this.#next = first
  }

  /**
   * The neighbours of the next rows.
   * @param maxMs it ends after the tile during which this time runs out
   * @returns undefined after the last row
   */
  next(maxRows: number, maxMs: number): FoundNeighbours | undefined {
    const lists = this.#lists
    if (lists === undefined || this.#next >= this.#size) return undefined
    const first = this.#next
    const begun = performance.now()
    do this.#finishTile(lists)
    while (
      this.#next < this.#size &&
      this.#next - first + this.#tileRows <= maxRows &&
      performance.now() - begun < maxMs
    )
    const rows = Array.from({ length: this.#next - first }, (_, row) => lists.of(first + row))
    return { first, rows }
  }

  #finishTile(lists: BestLists): void {
    const tile = this.#tileAt(this.#next, this.#size)
    for (let at = 0; at < this.#first; at += this.#tileRows) {
      this.#compare(lists, tile, this.#tileAt(at, this.#first))
    }
    for (let at = tile.first; at < this.#size; at += this.#tileRows) {
      this.#compare(lists, tile, this.#tileAt(at, this.#size))
    }
    this.#next += tile.rows
  }

  #tileAt(first: number, end: number): Tile {
    return { first, rows: Math.min(this.#tileRows, end - first) }
  }

  /** The results count for the other rows as well, unless these come before the tile. */
  #compare(lists: BestLists, tile: Tile, others: Tile): void {
    const forBoth = others.first >= tile.first
    const wide = Math.ceil(others.rows / 4) * 4
    this.#multiply(
      rowsAt + tile.first * this.#stride,
      Math.ceil(tile.rows / 2) * 2,
      rowsAt + others.first * this.#stride,
      wide,
      this.#stride,
      productsAt,
    )
    const products = this.#products
    const { least } = lists
    const { first: firstOther, rows: width } = others
    for (let i = 0; i < tile.rows; i += 1) {
      const row = tile.first + i
      for (let j = tile.first === firstOther ? i + 1 : 0; j < width; j += 1) {
        const product = products[i * wide + j] ?? 0
        const other = firstOther + j
        const isOne = product >= (least[row] ?? 0)
        const isOther = forBoth && product >= (least[other] ?? 0)
        if (!(isOne || isOther) || this.#areOfOneGroup(row, other)) continue
        if (isOne) lists.add(row, product, other)
        if (isOther) lists.add(other, product, row)
      }
    }
  }

  #areOfOneGroup(a: number, b: number): boolean {
    return this.#groups.length > 0 && this.#groups[a] === this.#groups[b]
  }

  /** @throws RangeError if there is not enough memory */
  #reserve(rows: number): void {
    const end = rowsAt + rows * this.#stride
    if (end <= this.#matrix.byteLength) return
    grow(this.#memory, end)
    this.#matrix = new Float32Array(this.#memory.buffer)
    this.#products = new Float64Array(this.#memory.buffer)
  }
}

/**
 * Similarities are stored and reported in steps of this size, about the resolution of float32.
 */
const stepsPerUnit = 10_000_000

/** Keeps the most similar other rows of each of many rows, up to a number. */
class BestLists {
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
