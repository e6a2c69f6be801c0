import { randomNumbers } from '../test/shared/random-numbers.ts'

/*
 * Embeddings as models make them, not uniform noise: a mean direction that all share, some hundred
 * topics, few directions of large variance, and a little noise. Uniform vectors would be equally
 * far from one another, which makes any approximate index look worse than it is.
 */
const rank = 48
const clusters = 500
const noise = 0.36 * Math.sqrt(rank / 2)

export interface Generator {
  readonly dimensions: number
  /** The vector number `index`, always the same one, of length 1. */
  vectorAt(index: number): Float32Array
}

export function createGenerator(dimensions: number): Generator {
  const random = randomNumbers(dimensions)
  const scale = 1 / Math.sqrt(dimensions)
  const basis = Array.from({ length: rank }, (_, order) =>
    filled(dimensions, () => normal(random) * scale * (order + 1) ** -0.25),
  )
  const mean = filled(dimensions, () => normal(random) * scale * 1.5)
  const centres = Array.from({ length: clusters }, () => {
    const centre = mean.slice()
    for (const direction of basis) addScaled(centre, direction, normal(random))
    return centre
  })
  return {
    dimensions,
    vectorAt(index) {
      const own = randomNumbers(Math.imul(index + 1, 0x9e3779b1))
      const vector = centres[Math.floor(own() * clusters)]?.slice() ?? mean.slice()
      for (const direction of basis) addScaled(vector, direction, normal(own))
      for (let at = 0; at < dimensions; at += 1) {
        vector[at] = (vector[at] ?? 0) + (own() - 0.5) * Math.sqrt(12) * noise * scale
      }
      return normalised(vector)
    },
  }
}

/** All but the vector of the embedding number `index`. */
export function describe(index: number) {
  return {
    textId: textIdAt(index),
    metadata: { ref: { book: `b${index % books}`, n: index } },
    text: 'some text of the usual length '.repeat(8),
  }
}

const books = 7
export const textIdAt = (index: number) => `t${String(index).padStart(7, '0')}`
export const indexOf = (textId: string) => Number(textId.slice(1))

/** What the filter of the searches leaves out, and the query string that says so. */
export const isLeftOut = (index: number) => index % books === 1
export const filterQuery = 'metadata_path=ref.book&metadata_value=b1'
export const filterSql = `and metadata #>> '{ref,book}' is distinct from 'b1'`

/** A vector as JSON: base64 of its float32s, little-endian. */
export const toBase64 = ({ buffer, byteOffset, byteLength }: Float32Array) =>
  `"${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}"`

/** A vector as JSON, and as pgvector's text: short decimals that read back to its float32s. */
export const toJson = (vector: Float32Array) => `[${Array.from(vector, shortest).join(',')}]`

function shortest(value: number): string {
  for (let digits = 7; digits < 9; digits += 1) {
    const rounded = Number(value.toPrecision(digits))
    if (Math.fround(rounded) === value) return String(rounded)
  }
  return String(Number(value.toPrecision(9)))
}

const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

const filled = (length: number, value: () => number) => Float32Array.from({ length }, value)

function addScaled(sum: Float32Array, vector: Float32Array, factor: number): void {
  for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + factor * (vector[at] ?? 0)
}

function normalised(vector: Float32Array): Float32Array {
  const factor = 1 / Math.sqrt(dot(vector, vector))
  for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] ?? 0) * factor
  return vector
}

/** In float64. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
