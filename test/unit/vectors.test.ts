import { expect, it } from 'vitest'
import { toFloat32 } from '../../src/vectors/float32.ts'

const greatest = 3.4028234663852886e38

// What else a vector may be is tested through the API (api/embeddings/vectors.test.ts).
it('a vector may not have a sum of squares that rounds to more than the greatest float32', () => {
  const element = Math.sqrt((greatest / 1_536) * (1 - 1e-6))
  expect(toFloat32(new Array(1_536).fill(element))).toMatch(/too long/)
})
