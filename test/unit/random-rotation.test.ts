import { expect, it } from 'vitest'
import { unitOf } from '../../src/search/memory/float-rows.ts'
import { randomRotation } from '../../src/search/memory/random-rotation.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { similarity } from '../support/data/vectors.ts'

it.each([4, 5, 64, 65, 100, 384, 1_000, 1_536])('rotates in %i dimensions', (dimensions) => {
  const random = randomNumbers(dimensions)
  const bytesOf = (count: number) => Uint8Array.from({ length: count }, () => 256 * random())
  const rotate = randomRotation(dimensions, bytesOf)
  const units = Array.from(
    { length: 20 },
    (_, one) =>
      unitOf(
        Float32Array.from(
          { length: dimensions },
          () => (random() - 0.5) ** (one % 2 === 0 ? 1 : 9),
        ),
      ).components,
  )
  const vectors = units.map((unit) => [...unit])
  const rotated = units.map((unit) => [...rotate(unit)])
  for (const [at, vector] of vectors.entries()) {
    expect(Math.hypot(...(rotated[at] ?? []))).toBeCloseTo(1, 5)
    expect(similarity(vector, rotated[at] ?? [])).toBeLessThan(0.99)
    for (const [beside, other] of vectors.entries()) {
      const product = similarity(rotated[at] ?? [], rotated[beside] ?? [])
      expect(Math.abs(product - similarity(vector, other))).toBeLessThan(1e-5)
    }
  }
})
