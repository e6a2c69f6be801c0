import type { ArrayReader, NumberArray } from './files/array-file.ts'
import { enlarged } from './kernels.ts'

/** Components of a chunk. */
const chunkComponents = 2 ** 16

/** A vector as `l2_normalize` of pgvector gives it, and what its rounding leaves of the length 1. */
export interface UnitVector {
  readonly components: Float32Array
  readonly length: number
}

/** Unit vectors in float32, in chunks, because one array cannot hold as much as a project may. */
export class FloatRows {
  readonly dimensions: number
  readonly #chunkRows: number
  readonly #chunks: Float32Array[] = []
  /** Read the chunks that are still in a file, by their places. */
  readonly #inFile = new Map<number, () => Uint8Array<ArrayBuffer>>()
  /** Of the unit vectors, by slot. */
  #lengths = new Float64Array(0)

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#chunkRows = Math.max(1, Math.floor(chunkComponents / dimensions))
  }

  set(slot: number, { components, length }: UnitVector): void {
    if (slot >= this.#lengths.length)
      this.#lengths = enlarged(this.#lengths, slot + 1, Float64Array)
    this.#componentsOf(slot).set(components)
    this.#lengths[slot] = length
  }

  /** What a file holds of so many rows. */
  *arrays(rows: number): Generator<NumberArray> {
    for (let at = 0; at < this.#chunksOf(rows); at += 1) yield this.#chunkAt(at)
    yield this.#lengths.subarray(0, rows)
  }

  /** Begins with so many rows of a file, whose components stay there until they are needed. */
  async read(file: ArrayReader, rows: number): Promise<void> {
    for (let at = 0; at < this.#chunksOf(rows); at += 1) this.#inFile.set(at, file.later())
    this.#lengths = await file.into(new Float64Array(rows))
  }

  get isInFile(): boolean {
    return this.#inFile.size > 0
  }

  /** Reads what is in the file still. @param pause is called between two chunks */
  async readRest(pause: () => Promise<void>): Promise<void> {
    for (const at of this.#inFile.keys()) {
      await pause()
      this.#chunkAt(at)
    }
  }

  /** The vector of a slot, not a copy. */
  of(slot: number): UnitVector {
    return { components: this.#componentsOf(slot), length: this.#lengths[slot] ?? 0 }
  }

  /**
   * Cosine distance, by the formula of `preciseDistance` in src/db/pgvector.ts and with its rounding:
   * a search finds the same in memory and in the database.
   */
  distance(query: UnitVector, slot: number): number {
    const length = this.#lengths[slot] ?? 0
    // The database squares a root.
    const root = Math.sqrt(differences(this.#componentsOf(slot), query.components))
    const cosine = root * root - (length - query.length) ** 2
    return rounded((cosine / (length * query.length)) * 5e8) / 1e9
  }

  #chunksOf(rows: number): number {
    return Math.ceil(rows / this.#chunkRows)
  }

  #chunkAt(at: number): Float32Array {
    const known = this.#chunks[at]
    if (known !== undefined) return known
    const read = this.#inFile.get(at)?.()
    this.#inFile.delete(at)
    const components = this.#chunkRows * this.dimensions
    const chunk = read ? new Float32Array(read.buffer) : new Float32Array(components)
    this.#chunks[at] = chunk
    return chunk
  }

  #componentsOf(slot: number): Float32Array {
    const at = (slot % this.#chunkRows) * this.dimensions
    return this.#chunkAt(Math.floor(slot / this.#chunkRows)).subarray(at, at + this.dimensions)
  }
}

/** Around this, doubles are whole numbers. */
const whole = 1.5 * 2 ** 52
/** Of two that are as near the even one, as `round` of PostgreSQL, unlike `Math.round`. */
const rounded = (value: number) => value + whole - whole

/** The vector of length 1 in the same direction. */
export function unitOf(vector: Float32Array): UnitVector {
  const norm = lengthOf(vector) || 1
  const components = new Float32Array(vector.length)
  for (let i = 0; i < vector.length; i += 1) components[i] = (vector[i] ?? 0) / norm
  return { components, length: lengthOf(components) }
}

function lengthOf(vector: Float32Array): number {
  let squares = 0
  // Indexed: iterators and callbacks take six times as long.
  for (let i = 0; i < vector.length; i += 1) squares += (vector[i] ?? 0) ** 2
  return Math.sqrt(squares)
}

/**
 * The sum of the squares of float32 differences. It has four parts, because each addition waits for
 * the one before. (Destructuring an array here would take four times as long.)
 */
function differences(a: Float32Array, b: Float32Array): number {
  const end = a.length - (a.length % 4)
  let one = 0
  let two = 0
  let three = 0
  let four = 0
  for (let i = 0; i < end; i += 4) {
    const w = Math.fround((a[i] ?? 0) - (b[i] ?? 0))
    const x = Math.fround((a[i + 1] ?? 0) - (b[i + 1] ?? 0))
    const y = Math.fround((a[i + 2] ?? 0) - (b[i + 2] ?? 0))
    const z = Math.fround((a[i + 3] ?? 0) - (b[i + 3] ?? 0))
    one += w * w
    two += x * x
    three += y * y
    four += z * z
  }
  for (let i = end; i < a.length; i += 1) one += Math.fround((a[i] ?? 0) - (b[i] ?? 0)) ** 2
  return one + two + (three + four)
}
