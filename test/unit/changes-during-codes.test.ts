import { expect, it } from 'vitest'
import { CollectionVectors } from '../../src/search/memory/collection.ts'
import { compileKernels } from '../../src/search/memory/kernels.ts'
import { randomNumbers } from '../shared/random-numbers.ts'

const dimensions = 64

it('finds what takes the place of a deleted vector while codes are made', async () => {
  const random = randomNumbers(3)
  const vector = () => Float32Array.from({ length: dimensions }, () => random() - 0.5)
  const collection = new CollectionVectors(compileKernels(), dimensions, 0)
  const sought = vector()
  // A few are like it, so that codes tell them from the others.
  const like = () => sought.map((component) => component + (random() - 0.5) / 4)
  for (let at = 0; at < 400; at += 1) collection.set(`t${at}`, at < 20 ? like() : vector())
  collection.delete('t16')
  let pauses = 0
  await collection.makeCodes(async () => {
    pauses += 1
    // The second is before the row of t16.
    if (pauses === 2) collection.set('late', sought)
  })
  const query = { vector: sought }
  const found = collection.candidates({ query, count: 1, exact: false, mask: undefined })
  expect(found).toMatchObject({ textIds: ['late'], isExact: false })
})
