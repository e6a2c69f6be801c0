import { grow, kernelOn, newMemory } from './kernels.ts'

/** Of each rotation: signs are flipped so many times, in all dimensions. */
export const rounds = 4

/**
 * Rotates vectors at random. Each round flips signs and applies a Walsh-Hadamard transform to the
 * first or the last 2^k components, in turn. Lengths and angles stay the same; afterwards no
 * direction is special.
 * @param dimensions at least 4
 * @param bytesOf gives `count` random bytes for a round
 * @returns a function that gives a vector rotated, until it is called again
 */
export function randomRotation(
  dimensions: number,
  bytesOf: (count: number, round: number) => Uint8Array,
): (vector: Float32Array) => Float32Array {
  const width = 2 ** Math.floor(Math.log2(dimensions))
  const shift = dimensions - width
  const stride = 4 * Math.ceil(dimensions / 4)
  const memory = newMemory()
  const length = stride * (1 + rounds)
  if (4 * length > memory.buffer.byteLength) grow(memory, 4 * length)
  const rotated = new Float32Array(memory.buffer, 0, dimensions)
  const factors = new Float32Array(memory.buffer, 4 * stride, stride * rounds)
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? 0 : shift
    for (const [i, byte] of bytesOf(dimensions, round).entries()) {
      const scale = i >= first && i < first + width ? 1 / Math.sqrt(width) : 1
      factors[round * stride + i] = byte % 2 === 0 ? scale : -scale
    }
  }
  const kernel = kernelOn(memory, 'rotate')
  return (vector) => {
    rotated.set(vector)
    kernel(0, 4 * stride, 4 * length, 4 * stride, 4 * width, 4 * shift)
    return rotated
  }
}
