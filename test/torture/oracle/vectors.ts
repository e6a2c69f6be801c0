import type { Dice } from './dice.ts'

/**
 * What vectors there are: around a few centres, in all directions, copies and opposites of a few, and
 * around other centres that are orthogonal to all the others.
 */
export const kinds = ['clustered', 'isotropic', 'twins', 'other'] as const
export type Kind = (typeof kinds)[number]

const centresOf: Readonly<Record<Kind, number>> = {
  clustered: 12,
  isotropic: 0,
  twins: 40,
  other: 5,
}
const spread = 0.35
const nearly = 1e-4

/** Makes the vectors of one project. */
export class VectorSource {
  readonly dimensions: number
  readonly #dice: Dice
  readonly #centres = new Map<Kind, readonly (readonly number[])[]>()

  constructor(dimensions: number, dice: Dice) {
    this.dimensions = dimensions
    this.#dice = dice
    for (const kind of kinds) {
      const centres = Array.from({ length: centresOf[kind] }, () => this.#direction(kind))
      this.#centres.set(kind, centres)
    }
  }

  next(kind: Kind): Float32Array {
    const dice = this.#dice
    const centres = this.#centres.get(kind) ?? []
    if (centres.length === 0) return this.scaled(this.#direction(kind), 10 ** dice.between(-3, 3))
    const centre = dice.of(centres)
    if (kind !== 'twins') {
      const moved = plus(centre, this.#direction(kind), spread)
      return this.scaled(moved, 10 ** dice.between(-3, 3))
    }
    const size = dice.of([1, 1, 1, -1, 0.001, 1000])
    return this.scaled(dice.chance(0.5) ? centre : this.#near(centre, kind), size)
  }

  /** Between two directions, though not nearer to the other one. */
  between(one: Float32Array, other: Float32Array): Float32Array {
    const [a, b] = [unit(one), unit(other)]
    return this.scaled(plus(a, b, this.#dice.between(0.2, 1)), 1)
  }

  anywhere = () => this.scaled(this.#direction('isotropic'), 1)

  /** In float32; never of norm 0, and without -0, which JSON does not know. */
  scaled(vector: readonly number[], factor: number): Float32Array {
    const scaled = Float32Array.from(vector, (element) => element * factor + 0)
    if (!scaled.some((element) => element !== 0)) scaled[0] = 1
    return scaled
  }

  #near(centre: readonly number[], kind: Kind) {
    return plus(centre, this.#direction(kind), nearly)
  }

  /** Each kind but the isotropic one has elements in its own half of the dimensions alone. */
  #direction(kind: Kind): number[] {
    const middle = Math.ceil(this.dimensions / 2)
    return Array.from({ length: this.dimensions }, (_, index) => {
      const isIn = kind === 'isotropic' || index < middle === (kind !== 'other')
      return isIn ? this.#dice.normal() : 0
    })
  }
}

const plus = (one: readonly number[], other: readonly number[], factor: number) =>
  one.map((element, index) => element + factor * (other[index] ?? 0))

function unit(vector: Float32Array): number[] {
  const norm = normOf(vector)
  return Array.from(vector, (element) => element / norm)
}

/** In float64. */
export function normOf(vector: Float32Array): number {
  let sum = 0
  for (const element of vector) sum += element * element
  return Math.sqrt(sum)
}

/** Cosine in float64. */
export function cosine(
  one: Float32Array,
  normOfOne: number,
  other: Float32Array,
  normOfOther: number,
): number {
  let product = 0
  for (let index = 0; index < one.length; index += 1) {
    product += (one[index] ?? 0) * (other[index] ?? 0)
  }
  return product / (normOfOne * normOfOther)
}

export const toBase64 = (vector: Float32Array) =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
