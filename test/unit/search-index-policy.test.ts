import { describe, expect, it } from 'vitest'
import { stagesFor } from '../../src/search/index/effort.ts'
import { collectionsToIndex, isSettled, roomForIndexes } from '../../src/search/index/policy.ts'

const size = (collectionId: number, vectors: number, dimensions = 100) => ({
  collectionId,
  vectors,
  dimensions,
})
const limits = {
  exactBudget: 100_000,
  maxIndexes: 3,
  settleSeconds: 0,
}
const none = new Set<number>()
const idsOf = (sizes: { collectionId: number }[]) => sizes.map(({ collectionId }) => collectionId)

describe('which projects get an index', () => {
  it('is decided by vectors times dimensions', () => {
    const sizes = [size(1, 1_000), size(2, 1_001), size(3, 400, 300), size(4, 10, 1_000)]
    expect(idsOf(collectionsToIndex(sizes, none, limits))).toEqual([3, 2])
  })

  it('lets an index go below half of the budget only', () => {
    const sizes = [size(1, 501), size(2, 500), size(3, 900)]
    expect(idsOf(collectionsToIndex(sizes, new Set([1, 2]), limits))).toEqual([1])
  })

  it('is for the largest, where there are more than there may be indexes', () => {
    const sizes = [5_000, 2_000, 9_000, 3_000, 4_000].map((vectors, id) => size(id, vectors))
    expect(idsOf(collectionsToIndex(sizes, none, limits))).toEqual([2, 0, 4])
  })

  it('leaves those that have one their place, unless another is twice as large', () => {
    const one = { ...limits, maxIndexes: 1 }
    expect(idsOf(collectionsToIndex([size(1, 2_000), size(2, 3_900)], new Set([1]), one))).toEqual([
      1,
    ])
    expect(idsOf(collectionsToIndex([size(1, 2_000), size(2, 4_100)], new Set([1]), one))).toEqual([
      2,
    ])
    expect(idsOf(collectionsToIndex([size(1, 2_000), size(2, 4_100)], new Set([2]), one))).toEqual([
      2,
    ])
  })

  it('leaves room for the locks of all connections', () => {
    const usual = { locksPerTransaction: 64, maxConnections: 100 }
    expect(roomForIndexes(usual, 31)).toBe(206)
    expect(roomForIndexes({ ...usual, maxConnections: 40 }, 31)).toBe(82)
  })
})

describe('a growing project', () => {
  it('is settled once it grows by no more than a fiftieth', () => {
    expect(isSettled(1_021, 1_000)).toBe(false)
    expect(isSettled(1_020, 1_000)).toBe(true)
    expect(isSettled(10, 1_000)).toBe(true)
  })
})

describe('the effort of a search', () => {
  const index = (vectors: number, dimensions: number) =>
    stagesFor(
      { collectionId: 1, vectors, dimensions, kind: 'halfvec_l2' },
      { isFiltered: true, canScan: false },
    )

  it('grows with the project, up to what pgvector allows', () => {
    const efs = [100, 10_000, 100_000, 1_000_000, 100_000_000].map(
      (vectors) => index(vectors, 1_536)[0]?.efSearch ?? 0,
    )
    expect(efs).toEqual(efs.toSorted((a, b) => a - b))
    expect(efs[0]).toBeGreaterThanOrEqual(100)
    expect(efs.at(-1)).toBe(1_000)
  })

  it('looks at more for a filter where an exact search would take long', () => {
    const scans = [10, 500_000, 2_000_000, 50_000_000].map(
      (vectors) => index(vectors, 384)[0]?.scanTuples,
    )
    expect(scans).toEqual([20_000, 20_000, 65_536, 100_000])
  })

  it('is the same for all sizes of one power of two, and takes fewer candidates than it sees', () => {
    expect(index(9_000, 384)).toEqual(index(16_000, 384))
    for (const vectors of [10, 5_000, 300_000]) {
      for (const { efSearch, candidates } of index(vectors, 768)) {
        expect(candidates).toBeLessThan(efSearch)
      }
    }
  })
})
