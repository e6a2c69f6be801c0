import { randomBytes } from 'node:crypto'
import type { ArrayReader, ArrayWriter } from '../files/array-file.ts'
import { kernelOn, newMemory } from '../kernels.ts'
import { LargestLists } from '../largest-lists.ts'
import type { Mask } from '../mask.ts'
import { type MemoryQuery, reachedBy, type VectorRows } from '../nearest.ts'
import { QuantizedRows } from '../quantized-rows.ts'
import { randomRotation, rounds } from '../random-rotation.ts'
import { Blocks } from './blocks.ts'
import { Centroids, type NearestLists } from './centroids.ts'
import { callRows, PossibleRows } from './possible-rows.ts'
import { fillSignTables } from './sign-tables.ts'

/** With fewer dimensions, signs say little. */
export const minDimensions = 64
/** An estimate is off by more standard errors in one of three million cases. */
const safeErrors = 5
/**
 * The square of the sine between a rotated vector and its signs, at least; 1 − 2/π is usual. By it, the
 * rounding of the tables counts as an error of the query.
 */
const unlikeSigns = 0.3
/** The share of the lists that every search reads. */
const firstShare = 1 / 200
/** How much rounding to 8 bits may change what the estimates of a list have in common. */
const noise = 1e-4
/**
 * How many of the best estimates, at least, are compared in 8 bits to bound the similarity of the
 * nearest.
 */
const minCompared = 32
/** Numbers that say where a run is and what its list is like, each of four bytes. */
const numbersOfRun = 4
/** Numbers of all runs of a call: a run has one block of 16 rows at least. */
const numbersOfCall = numbersOfRun * (callRows / 16)

// Addresses of the arguments of the kernels; what depends on the dimensions follows, and then the blocks.
const sumsAt = 160
const runsAt = 192
const foundAt = runsAt + 4 * numbersOfCall
const vectorAt = foundAt + 3 * 4 * callRows

/** What codes leave to compare. */
export interface Chosen {
  readonly slots: Int32Array
  /** How similar the centroid of the list of a slot is to the query, in units of a row's similarity. */
  readonly listSimilarity: (slot: number) => number
}

/** What shortens a search. */
export interface ListEffort {
  /** Only rows in the mask are chosen. */
  readonly mask?: Mask | undefined
  /** Lists whose centroids are by more than this less similar than the last of the nearest are left out. */
  readonly gap?: number | undefined
  /** If more rows had to be read, nothing is chosen. */
  readonly maxRows?: number | undefined
  /** By how many standard errors an estimate may be off. */
  readonly errors?: number
}

/**
 * One bit per component of each row: the sign of its difference from the centroid of its list, after
 * a random rotation. The bits give an unbiased estimate of a similarity, with a known standard error
 * for each row. This tells which rows may be among the nearest, even for rows unlike all others.
 * Source: Gao and Long, RaBitQ, SIGMOD 2024 (arXiv 2405.12497), section 3. With a row x, a centroid c
 * and the signs s of the rotated R(x − c): q·x = q·c + (x − c)·c + (x − c)·(q − c), whose last part
 * is estimated as factor × (s·R(q) − s·R(c)); all but s·R(q) is known before.
 */
export class SignCodes {
  readonly #rows: VectorRows
  readonly centroids: Centroids
  readonly #rotate: (vector: Float32Array) => Float32Array
  readonly #memory = newMemory()
  readonly #estimate = kernelOn(this.#memory, 'estimate')
  readonly #encode = kernelOn(this.#memory, 'encode')
  readonly #blocks: Blocks
  /** Of the centroids. */
  readonly length: number
  readonly #random: Uint8Array
  /** Bytes of a rotated vector, of the tables behind it, and of each of the rotated centroids behind these. */
  readonly #stride: number
  readonly #possible = new PossibleRows()

  /**
   * @param length of a centroid: the mean similarity of rows with the direction of their list
   * @param random bytes that choose the rotation
   */
  constructor(
    rows: VectorRows,
    centroids: Centroids,
    length: number,
    random: Uint8Array = randomBytes(rounds * rows.floats.dimensions),
  ) {
    const { dimensions } = rows.floats
    const bytes = 2 * Math.ceil(dimensions / 16)
    this.#stride = 32 * bytes
    this.#rows = rows
    this.centroids = centroids
    this.length = length
    this.#random = random
    this.#rotate = randomRotation(dimensions, (count, round) =>
      random.subarray(round * count, (round + 1) * count),
    )
    const blocksAt = this.#centroidAt(centroids.count)
    this.#blocks = new Blocks(this.#memory, blocksAt, bytes, centroids.count)
    for (let list = 0; list < centroids.count; list += 1) {
      const mean = centroids.directionOf(list).map((component) => component * length)
      this.#blocks.floats.set(this.#rotate(mean), this.#centroidAt(list) / 4)
    }
  }

  /** Reads what `write` has written. */
  static async read(file: ArrayReader, rows: VectorRows, slots: number): Promise<SignCodes> {
    const { dimensions } = rows.floats
    const rowsFor = () => new QuantizedRows(dimensions)
    const centroids = new Centroids(rowsFor(), rowsFor(), await file.json())
    for (const array of centroids.arrays()) await file.into(array)
    const length: number = await file.json()
    const random = await file.into(new Uint8Array(rounds * dimensions))
    const codes = new SignCodes(rows, centroids, length, random)
    codes.#blocks.restore(await file.json())
    for (const array of codes.#blocks.arrays(slots)) await file.into(array)
    return codes
  }

  /** @param slots how many there are */
  async write(file: ArrayWriter, slots: number): Promise<void> {
    await file.putJson(this.centroids.begins)
    for (const array of this.centroids.arrays()) await file.put(array)
    await file.putJson(this.length)
    await file.put(this.#random)
    await file.putJson(this.#blocks.about)
    for (const array of this.#blocks.arrays(slots)) await file.put(array)
  }

  /** How many lists every search reads. */
  get firstLists(): number {
    return Math.ceil(firstShare * this.centroids.count)
  }

  /** How many rows have a code. */
  get size(): number {
    return this.#blocks.size
  }

  listOf(slot: number): number | undefined {
    return this.#blocks.listOf(slot)
  }

  /** @throws RangeError if there is not enough memory */
  set(slot: number): void {
    this.clear(slot)
    this.add(slot, this.listFor(slot))
  }

  /** The list that a row belongs to. */
  listFor(slot: number): number {
    return this.centroids.nearest(this.#rows.bytes, slot).list
  }

  /** Makes room for so many rows of each list. @throws RangeError if there is not enough memory */
  reserve(sizes: Int32Array): void {
    this.#blocks.reserve(sizes)
  }

  /** Adds a row that has no code. @throws RangeError if there is not enough memory */
  add(slot: number, list: number): void {
    const code = this.#blocks.add(list, slot)
    const { floats } = this.#blocks
    const { dimensions } = this.#rows.floats
    floats.set(this.#rotate(this.#rows.floats.of(slot).components), vectorAt / 4)
    this.#encode(vectorAt, this.#centroidAt(list), this.#stride, code, sumsAt)
    const sum = (which: number) => floats[sumsAt / 4 + which] ?? 0
    const norm = Math.sqrt(sum(0))
    // The cosine of the angle between the difference and its signs.
    const cosine = sum(2) / (norm * Math.sqrt(dimensions)) || 1
    const factor = norm / (cosine * Math.sqrt(dimensions))
    const spread = Math.sqrt(Math.max(0, 1 - cosine ** 2) / Math.max(1, dimensions - 1)) / cosine
    this.#blocks.describe(slot, sum(1) - factor * sum(3), factor, norm * spread)
  }

  clear(slot: number): void {
    this.#blocks.remove(slot)
  }

  /**
   * What may be among the `count` nearest of all rows or of those in a mask.
   * @returns undefined if codes leave more than half of these, or if too few are there
   */
  choose(
    query: MemoryQuery,
    count: number,
    { mask, gap = Infinity, maxRows = Infinity, errors = safeErrors }: ListEffort,
  ): Chosen | undefined {
    const tablesAt = vectorAt + this.#stride
    const tables = new Uint8Array(this.#memory.buffer, tablesAt, this.#stride)
    const { low, step } = fillSignTables(tables, this.#rotate(query.unit.components))
    const best = new LargestLists(1, Math.max(2 * count, minCompared), Float64Array)
    const lookUp = () => reachedBy(this.#rows, query, best.keysOf(0), count)
    let reached = { similarity: -Infinity, least: -Infinity }
    let [calls, next] = [0, 1]
    this.#possible.empty()
    const isNear = (similarity: number) => similarity >= reached.similarity - gap
    const near = this.centroids.nearestFirst(query.bytes)
    for (const end of this.#callsOf(near, step, errors, isNear)) {
      const { bytes } = this.#blocks
      const least = reached.least - noise
      const found = this.#estimate(tablesAt, bytes, runsAt, end, low, step, least, foundAt)
      this.#possible.add(this.#blocks, foundAt, found, best, mask)
      calls += 1
      if (calls * callRows > maxRows) return undefined
      if (calls < next) continue
      reached = lookUp()
      next *= 4
    }
    // The last call may have been one after which it was looked up.
    if (next !== 4 * calls) reached = lookUp()
    if (reached.least === Number.NEGATIVE_INFINITY) return undefined
    const slots = this.#possible.reaching(reached.least - noise)
    if (2 * slots.length > (mask?.size ?? this.size)) return undefined
    const listSimilarity = (slot: number) =>
      this.length * (near.similarities[this.listOf(slot) ?? 0] ?? 0)
    return { slots, listSimilarity }
  }

  #centroidAt(list: number): number {
    return vectorAt + this.#stride * (2 + list)
  }

  /**
   * Writes the runs of the lists for one call of the kernel `estimate` after the other, about the nearest first.
   * @param step of the tables, whose entries are rounded to it
   * @param isNear whether a list is read that is not one of the first, by the similarity of its centroid
   * @returns where the runs of each call end
   */
  *#callsOf(
    { lists, similarities }: NearestLists,
    step: number,
    errors: number,
    isNear: (similarity: number) => boolean,
  ): Generator<number, undefined> {
    const { integers, floats } = this.#blocks
    const rounding = (step ** 2 * 2 * this.#blocks.bytes) / 12 / unlikeSigns
    let [at, rows] = [runsAt / 4, 0]
    for (let place = 0; place < lists.length; place += 1) {
      const list = lists[place] ?? 0
      const similarity = (similarities[list] ?? 0) * this.length
      if (place >= this.firstLists && !isNear(similarity)) break
      const squares = 1 + this.length ** 2 - 2 * similarity
      const spread = errors * Math.sqrt(Math.max(0, squares) + rounding + noise)
      for (let part = 0; ; part += 1) {
        const run = this.#blocks.runOf(list, part)
        if (run === undefined) break
        if (rows + 16 * run.blocks > callRows) {
          yield 4 * at
          at = runsAt / 4
          rows = 0
        }
        integers[at] = run.address
        integers[at + 1] = run.blocks
        floats[at + 2] = similarity
        floats[at + 3] = spread
        at += numbersOfRun
        rows += 16 * run.blocks
      }
    }
    if (rows > 0) yield 4 * at
  }
}
