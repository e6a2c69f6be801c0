import { randomNumbers } from '../test/shared/random-numbers.ts'

/*
 * Embeddings as hard to search as those of real texts: their intrinsic dimension is that of the
 * verses of the Bible, embedded by all-MiniLM-L6-v2. A few dozen factors, the first of them with the
 * largest variance, topics of very different sizes, and a little noise. Vectors with less structure
 * than this would be equally far from one another; those with fewer factors are found too easily.
 */
const factors = 64
const topics = 50

export interface Generator {
  readonly dimensions: number
  /** The vector number `index`, always the same one, of length 1. */
  vectorAt(index: number): Float32Array
}

export function createGenerator(dimensions: number): Generator {
  const random = randomNumbers(dimensions)
  const scale = 1 / Math.sqrt(dimensions)
  const direction = (length: number) => filled(dimensions, () => normal(random) * scale * length)
  const basis = Array.from({ length: factors }, (_, order) => direction(1.5 * (order + 1) ** -0.5))
  const centres = Array.from({ length: topics }, () => direction(0.8))
  // Exponential numbers over their sum are shares by Dirichlet(1).
  const shares = Array.from({ length: topics }, () => -Math.log(1 - random()))
  const whole = shares.reduce((sum, share) => sum + share, 0)
  const topicAt = (part: number) => {
    let left = part * whole
    const at = shares.findIndex((share) => {
      left -= share
      return left < 0
    })
    return Math.max(0, at)
  }
  return {
    dimensions,
    vectorAt(index) {
      const own = randomNumbers(Math.imul(index + 1, 0x9e3779b1))
      const vector = filled(dimensions, () => normal(own) * scale * 0.25)
      addScaled(vector, centres[topicAt(own())] ?? vector, 1)
      for (const factor of basis) addScaled(vector, factor, normal(own))
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
