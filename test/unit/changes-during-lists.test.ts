import { expect, it } from 'vitest'
import { CollectionVectors } from '../../src/search/memory/collection.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { nearestTo } from '../support/data/vector-rows.ts'

const dimensions = 64
/** Vectors by chance. */
function vectorsBy(seed: number): () => Float32Array {
  const random = randomNumbers(seed)
  return () => Float32Array.from({ length: dimensions }, () => random() - 0.5)
}

it('finds what takes the place of a deleted vector while codes are made', async () => {
  const vector = vectorsBy(3)
  const sought = vector()
  // A few are like it, so that codes tell them from the others.
  const like = () => vector().map((component, at) => (sought[at] ?? 0) + component / 4)
  const stored = Array.from({ length: 400 }, (_, at) => (at < 20 ? like() : vector()))
  const filled = () => {
    const collection = new CollectionVectors(dimensions, 0)
    for (const [at, each] of stored.entries()) collection.set(`t${at}`, each)
    collection.delete('t16')
    return collection
  }
  let steps = 0
  await filled().makeLists(async () => {
    steps += 1
  })
  // Pauses come before, between and behind the steps; in each of them it may come.
  for (let late = 1; late <= steps; late += Math.ceil(steps / 40)) {
    const collection = filled()
    let pauses = 0
    await collection.makeLists(async () => {
      pauses += 1
      if (pauses !== late) return
      collection.set('late', sought)
      collection.delete('t17')
    })
    const found = collection.nearest(nearestTo(sought), 1)
    expect(found).toMatchObject({ textIds: ['late'], isExact: false })
    expect(collection.nearest(nearestTo(sought, { count: 400, exact: true }), 1)).toMatchObject({
      textIds: expect.not.arrayContaining(['t17']),
    })
  }
})

/** A collection with lists of vectors by chance, which are named by their numbers. */
async function collectionOf(count: number) {
  const vector = vectorsBy(count)
  const collection = new CollectionVectors(dimensions, 5_000)
  for (let at = 0; at < count; at += 1) collection.set(`t${at}`, vector())
  await collection.makeLists(async () => {})
  return { collection, vector }
}

it('makes lists anew when half as many were replaced or deleted as there were', async () => {
  const { collection, vector } = await collectionOf(200)
  for (let at = 0; at < 50; at += 1) {
    collection.set(`t${at}`, vector())
    expect(collection.needsLists()).toBe(false)
    collection.delete(`t${199 - at}`)
    collection.set(`new ${at}`, vector())
  }
  expect(collection.needsLists()).toBe(false)
  collection.delete('t0')
  expect(collection.needsLists()).toBe(true)
  await collection.makeLists(async () => {})
  expect(collection.needsLists()).toBe(false)
})

it('makes lists anew when there are four times as many', async () => {
  const { collection, vector } = await collectionOf(100)
  for (let at = 100; at < 400; at += 1) {
    expect(collection.needsLists()).toBe(false)
    collection.set(`t${at}`, vector())
  }
  expect(collection.needsLists()).toBe(true)
})

it('makes lists of vectors that are all deleted meanwhile', async () => {
  const { collection, vector } = await collectionOf(100)
  await collection.makeLists(async () => {
    for (let at = 0; at < 100; at += 1) collection.delete(`t${at}`)
  })
  collection.set('left', vector())
  expect(collection.nearest(nearestTo(vector()), 1)).toMatchObject({ textIds: ['left'] })
})

it('drops masks that have taken in too many changes, filled or not', () => {
  const vector = vectorsBy(5)
  const collection = new CollectionVectors(dimensions, 1e9)
  for (let at = 0; at < 200; at += 1) collection.set(`t${at}`, vector())
  const request = nearestTo(vector(), { exact: true, mask: 'mask' })
  const begin = () => collection.masks.begin('mask')
  const fill = () => collection.fillMask('mask', ['t1', 't2'], 7)
  begin()
  fill()
  expect(collection.nearest(request, 6)).toEqual({ knownTo: 6 })
  expect(collection.nearest(request, 7)).toMatchObject({ unsure: [], revision: 7 })
  for (let at = 0; at < 64; at += 1) collection.set('t1', vector())
  expect(collection.nearest({ ...request, count: 9 }, 7)).toMatchObject({
    unsure: [expect.any(Number)],
  })
  collection.set('t1', vector())
  expect(collection.nearest(request, 7)).toBe('no mask')
  begin()
  for (let at = 0; at < 10_001; at += 1) collection.set('t1', vector())
  fill()
  expect(collection.nearest(request, 7)).toBe('no mask')
})
