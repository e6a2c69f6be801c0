import { expect, it } from 'vitest'
import { CollectionVectors } from '../../src/search/memory/collection.ts'
import { trainCentroids } from '../../src/search/memory/lists/centroids.ts'
import { QuantizedRows } from '../../src/search/memory/quantized-rows.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { nearestTo } from '../support/data/vector-rows.ts'

const random = randomNumbers(8)
const isotropic = (dimensions: number) => new Float32Array(dimensions).map(() => random() - 0.5)

it('lists of many equal vectors are no more than are compared at once', async () => {
  const rows = new QuantizedRows(64)
  const slots = Int32Array.from({ length: 9_000 }, (_, slot) => slot)
  for (const slot of slots)
    rows.set(slot, slot < 8_900 ? new Float32Array(64).fill(1) : isotropic(64))
  const centroids = await trainCentroids(rows, slots, 4_000, async () => {})
  for (const slot of [1, 8_950]) {
    const { list, similarity } = centroids.nearest(rows, slot)
    expect(list).toBeLessThan(centroids.count)
    expect(similarity).toBeGreaterThan(0.3)
  }
})

it.each([
  [384, 2_000],
  [16_000, 500],
])(
  'codes of %i dimensions lose none of the nearest of vectors that are alike',
  async (dimensions, count) => {
    const collection = new CollectionVectors(dimensions, 0)
    const mean = isotropic(dimensions)
    const near = (spread: number) => {
      const own = isotropic(dimensions)
      return own.map((component, at) => (mean[at] ?? 0) + spread * component)
    }
    for (let at = 0; at < count; at += 1) collection.set(`t${at}`, near(0.1))
    await collection.makeLists(async () => {})
    for (const vector of [mean, near(0.02), near(0.1)]) {
      const [likely, exact] = [false, true].map((exact) =>
        collection.nearest(nearestTo(vector, { count: 10, exact }), 1),
      )
      expect({ ...Object(likely), isExact: true }).toEqual(exact)
    }
  },
)
