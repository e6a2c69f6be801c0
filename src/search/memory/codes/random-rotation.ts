import { randomBytes } from 'node:crypto'

const rounds = 4

/**
 * Rotates vectors at random. Each round flips signs and applies a Walsh-Hadamard transform to the
 * first or the last 2^k components, in turn. Lengths and angles stay the same; afterwards no
 * direction is special.
 * @param bytesOf gives `count` random bytes for a round
 * @returns a function that rotates a vector in place
 */
export function randomRotation(
  dimensions: number,
  bytesOf: (count: number, round: number) => Uint8Array = (count) => randomBytes(count),
): (vector: Float32Array) => void {
  const width = 2 ** Math.floor(Math.log2(dimensions))
  const scale = 1 / Math.sqrt(width)
  const signs = Array.from({ length: rounds }, (_, round) =>
    Int8Array.from(bytesOf(dimensions, round), (byte) => (byte % 2 === 0 ? 1 : -1)),
  )
  return (vector) => {
    for (const [round, sign] of signs.entries()) {
      for (let i = 0; i < dimensions; i += 1) vector[i] = (vector[i] ?? 0) * (sign[i] ?? 0)
      const first = round % 2 === 0 ? 0 : dimensions - width
      const part = vector.subarray(first, first + width)
      transform(part)
      for (let i = 0; i < width; i += 1) part[i] = (part[i] ?? 0) * scale
    }
  }
}

/** The Walsh-Hadamard transform; the length is a power of two. */
function transform(vector: Float32Array): void {
  for (let half = 1; half < vector.length; half *= 2) {
    for (let start = 0; start < vector.length; start += 2 * half) {
      for (let i = start; i < start + half; i += 1) {
        const a = vector[i] ?? 0
        const b = vector[i + half] ?? 0
        vector[i] = a + b
        vector[i + half] = a - b
      }
    }
  }
}
