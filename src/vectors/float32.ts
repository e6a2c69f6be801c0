/** The smallest normal float32. Sums of squares below it have lost their precision. */
const minNormal = 2 ** -126
const greatest = 2 ** 128 - 2 ** 104
/** How much each addition may round up a float32 sum, as a share of it and with a margin. */
const roundedUp = 2 ** -23

/** The elements of a vector in a request. They are a Float32Array if they were read as float32. */
export type VectorElements = Float32Array | readonly number[]

/**
 * Rounds a vector to float32, the form in which it is stored and compared. Refuses a vector without
 * a direction in float32: pgvector sums squares in float32, so its cosine distance would be NaN if
 * norm² is outside float32's normal range, or so near the end that rounding the sum may exceed it.
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
