import { describe, expect, it } from 'vitest'
import { effortFor } from '../../src/search/index/effort.ts'

describe('the effort of a search', () => {
  const effort = (vectors: number, wanted: { isFiltered?: boolean; canScan?: boolean } = {}) =>
    effortFor(
      { vectors, dimensions: 1_536, kind: 'halfvec_l2' },
      { isFiltered: false, canScan: true, ...wanted },
    )
  const sizes = [100, 10_000, 100_000, 1_000_000, 100_000_000]

  it('grows with the project, up to what pgvector allows', () => {
    const efs = sizes.map((vectors) => effort(vectors).efSearch)
    expect(efs).toEqual(efs.toSorted((a, b) => a - b))
    expect([efs[0], efs.at(-1)]).toEqual([100, 1_000])
    expect(effort(9_000)).toEqual(effort(16_000))
  })

  it('takes the nearer half, and with a filter looks further', () => {
    for (const vectors of sizes) {
      const [plain, filtered] = [effort(vectors), effort(vectors, { isFiltered: true })]
      for (const { most, first, efSearch } of [plain, filtered]) {
        expect(first).toBeLessThanOrEqual(most)
        expect(most).toBeLessThanOrEqual(efSearch / 2)
      }
      expect(filtered.efSearch).toBe(Math.min(1_000, 2 * plain.efSearch))
    }
  })

  it('looks on for a filter where an exact search would take too long', () => {
    const scans = [10, 500_000, 2_000_000, 50_000_000].map(
      (vectors) => effort(vectors, { canScan: false }).scanTuples,
    )
    expect(scans).toEqual([20_000, 20_000, 65_536, 100_000])
    expect(effort(10).scanTuples).toBeUndefined()
  })
})
