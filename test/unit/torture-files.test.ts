import { expect, it } from 'vitest'
import { flawsOfNearest } from '../torture/files/nearest.ts'

const stored = new Map(
  Object.entries({ a: [1, 0], b: [1, 1], c: [0, 1] }).map(([id, vector]) => [
    id,
    Float32Array.from(vector),
  ]),
)
const a = { id: 'a', similarity: 1 }
const b = { id: 'b', similarity: Math.SQRT1_2 }

it.each([
  ['all is right', [a, b], 0],
  ['a similarity is off', [a, { ...b, similarity: 0.7 }], 1],
  ['one is left out', [b, { id: 'c', similarity: 0 }], 2],
  ['one is missing', [a], 1],
  ['one is there twice', [a, a], 2],
  ['one is not stored', [a, { id: 'd', similarity: 0.9 }], 1],
])('torture says of the nearest when %s', (_, results, flaws) => {
  expect(flawsOfNearest(stored, Float32Array.of(1, 0), 2, results)).toHaveLength(flaws)
})
