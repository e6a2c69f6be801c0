import { nearestOf } from './nearest.ts'
import { type Pause, principalDirections, spread } from './principal-directions.ts'
import { QuantizedRows, type Query, queryOf } from './quantized-rows.ts'

/** Real text of 384 to 1,536 dimensions has its true ten among the nearest 400 by so many with 0.995. */
const directionCount = 96
/** Fewer dimensions are compared in full about as fast. */
export const fewestDimensions = 2 * directionCount
/** What the rows of a sample must reach: recall@10 is to stay above 0.99 for vectors that are not stored, too. */
const leastRecall = 0.993
const sampledQueries = 150
const neighbours = 10
const fewestListed = 200
/** Of all rows at most an eighth may be of another kind: comparing all costs hardly more. */
const mostOutside = 8
const sampledRows = 2_000

/**
 * The rows in few dimensions, by which the ones that may be near are chosen: those are compared in full.
 * How many there must be is measured on the rows themselves.
 */
export class Shortlist {
  readonly #directions: QuantizedRows
  readonly #all = Int32Array.from({ length: directionCount }, (_, index) => index)
  readonly #rows: QuantizedRows
  readonly #reduced: QuantizedRows
  /** Of how many rows it was learnt, and how many of them must be listed. */
  #learntFrom = 0
  #listed = 0
  /** What the directions must hold of a vector (the norm of what they hold of a unit vector) to tell where it is. */
  #leastHeld = 0
  /** Rows of which they hold less, as of another kind than those that were learnt from: always compared. */
  readonly #outside = new Set<number>()

  private constructor(
    module: WebAssembly.Module,
    rows: QuantizedRows,
    directions: readonly Float32Array[],
  ) {
    this.#rows = rows
    this.#directions = new QuantizedRows(module, rows.dimensions, false)
    for (const [index, direction] of directions.entries()) this.#directions.set(index, direction)
    this.#reduced = new QuantizedRows(module, directionCount, false)
  }

  /** @returns one without rows; `pause` is called between short pieces of work */
  static async learn(
    module: WebAssembly.Module,
    rows: QuantizedRows,
    slots: Int32Array,
    pause: Pause,
  ): Promise<Shortlist> {
    const directions = await principalDirections(module, rows, slots, directionCount, pause)
    const shortlist = new Shortlist(module, rows, directions)
    const held: number[] = []
    for (const slot of spread(slots, sampledRows)) {
      if (held.length % 64 === 0) await pause()
      held.push(lengthOf(shortlist.#reducedRow(slot)))
    }
    shortlist.#leastHeld = leastOf(held)
    return shortlist
  }

  set(slot: number): void {
    const reduced = this.#reducedRow(slot)
    const held = lengthOf(reduced)
    this.#reduced.set(slot, reduced, held)
    if (held >= this.#leastHeld) {
      this.#outside.delete(slot)
      return
    }
    this.#outside.add(slot)
    this.#reduced.clear(slot)
  }

  clear(slot: number): void {
    this.#reduced.clear(slot)
    this.#outside.delete(slot)
  }

  /** Whether so many rows of another kind have come, or so many others have gone, that it is of no use. */
  isWorn(rows: number): boolean {
    return this.#outside.size > rows / mostOutside
  }

  /**
   * Measures how many rows must be listed: so many that of the ten nearest of each sampled row, leaving out
   * itself, enough are listed; the mean less 1.64 standard errors, with the row as the unit of sampling.
   * @returns false when comparing all rows costs hardly more
   */
  async calibrate(slots: Int32Array, pause: Pause): Promise<boolean> {
    const ranks: number[][] = []
    for (const slot of spread(slots, sampledQueries)) {
      await pause()
      const of = this.#ranksOfNearest(slot, slots)
      // One that was deleted meanwhile has none.
      if (of.length > 0) ranks.push(of)
    }
    this.#learntFrom = slots.length
    for (let listed = fewestListed; listed <= slots.length / 8; listed *= 1.5) {
      this.#listed = Math.ceil(listed)
      if (lowerBound(ranks.map((of) => shareBelow(of, listed))) >= leastRecall) return true
    }
    return false
  }

  /**
   * The slots that may be among the `count` nearest, of all of `slots`.
   * @returns undefined where the query is of another kind than the rows that it was learnt from
   */
  choose(query: Query, slots: Int32Array, count: number): Int32Array | undefined {
    const reduced = this.#reduce(query)
    if (lengthOf(reduced) < this.#leastHeld) return undefined
    const growth = Math.max(1, slots.length / this.#learntFrom)
    const listed = Math.ceil(this.#listed * growth * Math.max(1, count / neighbours))
    const inside = this.#reduced.largest(queryOf(reduced), slots, listed)
    return Int32Array.of(...inside, ...this.#outside)
  }

  /** At which place of the list each of the true nearest of a row is. */
  #ranksOfNearest(slot: number, slots: Int32Array): number[] {
    const query = this.#rows.queryFrom(slot)
    const precise = nearestOf(this.#rows, query, slots, neighbours + 1)
      .slots.filter((each) => each !== slot)
      .map((each) => ({ each, similarity: this.#rows.precisely(query, each) }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, neighbours)
    const reduced = queryOf(this.#reduce(query))
    const similarities = this.#reduced.similarities(reduced, slots)
    const own = this.#reduced.similarities(
      reduced,
      Int32Array.from(precise, ({ each }) => each),
    )
    return Array.from(own, (similarity) => {
      // Equal ones count against it, so that directions which tell nothing apart are of no use.
      let notSmaller = 0
      for (const other of similarities) if (other >= similarity) notSmaller += 1
      return notSmaller - 1
    })
  }

  #reducedRow(slot: number): Float32Array {
    return this.#reduce(this.#rows.roughQueryFrom(slot))
  }

  #reduce(query: Query): Float32Array {
    return this.#directions.similarities(query, this.#all)
  }
}

const lengthOf = (vector: Float32Array) => Math.hypot(...vector)

/**
 * Below what a row is of another kind: of normally distributed values 0.4 % are so far from the median. No row
 * is where many would be: then the sample by which the shortlist is measured has enough of them.
 */
function leastOf(held: number[]): number {
  const sorted = held.filter((each) => each > 0).sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? 0
  const least = at(0.5) - 4 * (at(0.5) - at(0.25))
  return at(1 / mostOutside) < least ? 0 : least
}

const shareBelow = (ranks: readonly number[], listed: number) =>
  ranks.filter((rank) => rank < listed).length / Math.max(1, ranks.length)

function lowerBound(shares: readonly number[]): number {
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length
  const squares = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0)
  return mean - 1.64 * Math.sqrt(squares / (shares.length - 1) / shares.length)
}
