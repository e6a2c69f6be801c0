import { expect, it } from 'vitest'
import { CachedCollections } from '../../src/search/memory/collections.ts'
import { nearestTo } from '../support/data/vector-rows.ts'

const collectionId = 1
const request = nearestTo(Float32Array.of(1, 2, 3))

/** Those of one revision after the other, of so many vectors each. */
function change(cached: CachedCollections, revision: number, count: number) {
  const added = Array.from({ length: count }, (_, at) => ({
    ...{ textId: `r${revision}-${at}`, vector: Float32Array.of(revision, at + 1, 1) },
  }))
  void cached.answer({
    do: 'change',
    collectionId,
    after: revision - 1,
    revision,
    removed: [],
    added,
  })
}

it('keeps no endless changes that wait for one of another server', () => {
  const cached = new CachedCollections(1_000_000)
  const state = { collectionId, dimensions: 3, revision: 0 }
  const nearest = (revision: number) =>
    cached.answer({ do: 'nearest', ...state, revision, request })
  void cached.answer({ do: 'begin', ...state })
  void cached.answer({ do: 'complete', collectionId })
  for (let revision = 2; revision <= 20; revision += 1) change(cached, revision, 1_000)
  expect(nearest(20)).toEqual({ knownTo: 0 })
  change(cached, 1, 1_000)
  expect(nearest(20)).toHaveProperty('textIds')
  for (let revision = 22; revision <= 42; revision += 1) change(cached, revision, 1_000)
  expect(nearest(0)).toBe('gone')
})
