/** The smallest normal float32: sums of squares below it have lost their precision. */
const minNormal = 2 ** -126
const greatest = 2 ** 128 - 2 ** 104
/** By so much of itself each addition to a sum in float32 may round it up, with something to spare. */
const roundedUp = 2 ** -23

/** A vector as it comes with a request: in float32 already when it was read so. */
export type VectorElements = Float32Array | readonly number[]

/**
 * Rounds a vector to float32, as it is stored and compared.
 * Refuses what has no direction there: pgvector sums squares in float32, so that a norm² outside float32's
 * normal range would make its cosine distance NaN, and one near its end too, by the rounding of the sum.
 * @returns the float32 vector, or a text that says what is wrong with it
 */
export function toFloat32(vector: VectorElements): Float32Array | string {
  const rounded = vector instanceof Float32Array ? vector : new Float32Array(vector)
  let squares = 0
  // Indexed, because iterators cost ten times as much here, and this runs for every element.
  for (let index = 0; index < rounded.length; index += 1) {
    const value = rounded[index] ?? Number.NaN
    if (!Number.isFinite(value)) return `element ${index} is not a finite float32 number`
    squares += value * value
  }
  if (squares === 0) return 'a vector of length zero has no direction'
  if (squares < minNormal) return 'the vector is too short to have a direction in float32'
  if (squares * (1 + rounded.length * roundedUp) > greatest) {
    return 'the vector is too long to have a direction in float32'
  }
  return rounded
}

export const isNumberArray = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((element) => typeof element === 'number')

export const isVector = (value: unknown): value is VectorElements =>
  value instanceof Float32Array || isNumberArray(value)
