import { describe, expect, it } from 'vitest'
import { measuredPoint, reaches, stagesFor } from '../../src/search/index/effort.ts'
import type { SearchIndex } from '../../src/search/index/policy.ts'
import {
  NearestNeighbours,
  type NeighbourDistance,
} from '../../src/search/index/recall/measurement.ts'
import { estimateRecall } from '../../src/search/index/recall/recall.ts'
import {
  fromComment,
  isOutdated,
  minEffort,
  type RecallCurve,
  toComment,
} from '../../src/search/index/recall/recall-curve.ts'

const point = (efSearch: number, recall: number, atLeast: number, candidates = 20) => ({
  efSearch,
  candidates,
  recall,
  atLeast,
})
const curve: RecallCurve = {
  vectors: 30_000,
  sample: 300,
  points: [point(40, 0.95, 0.94), point(80, 0.995, 0.992), point(160, 0.999, 0.9985, 50)],
}
const index = (fields: Partial<SearchIndex> = {}): SearchIndex => ({
  collectionId: 1,
  vectors: 30_000,
  dimensions: 384,
  kind: 'halfvec_l2',
  recall: curve,
  ...fields,
})
const effortsFor = (searched: SearchIndex, wanted: { minRecall?: number } = {}) =>
  stagesFor(searched, { isFiltered: false, canScan: true, ...wanted })
const unmeasured = effortsFor(index({ recall: undefined }))

describe('the bound of a measured recall', () => {
  it("is Wilson's where searches miss independently, and lower where they miss together", () => {
    const apart = Array.from({ length: 300 }, (_, at) => (at < 15 ? 9 : 10))
    const together = Array.from({ length: 300 }, (_, at) => (at < 3 ? 5 : 10))
    const { recall, atLeast } = estimateRecall(apart)
    expect(recall).toBeCloseTo(0.995, 9)
    expect(atLeast).toBeCloseTo(0.99237, 4)
    expect(estimateRecall(together).recall).toBeCloseTo(0.995, 9)
    expect(estimateRecall(together).atLeast).toBeLessThan(atLeast - 0.002)
  })

  it('is below 1 where nothing was missed, and nearer to it the larger the sample', () => {
    const bound = (size: number) => estimateRecall(Array(size).fill(10)).atLeast
    expect(bound(100)).toBeCloseTo(0.9973, 4)
    expect(bound(300)).toBeGreaterThan(0.999)
    expect(bound(300)).toBeLessThan(1)
  })

  it('says nothing where nothing was measured or found', () => {
    expect(estimateRecall([])).toEqual({ recall: 0, atLeast: 0 })
    expect(estimateRecall([0, 0])).toEqual({ recall: 0, atLeast: 0 })
  })

  it('holds nineteen times of twenty, also where whole searches fail', () => {
    let seed = 7
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed / 2 ** 31
    }
    let right = 0
    for (let round = 0; round < 400; round += 1) {
      const found = Array.from({ length: 300 }, () => {
        const chance = random() < 0.02 ? 0.7 : 0.999
        return Array.from({ length: 10 }, random).filter((each) => each < chance).length
      })
      if (estimateRecall(found).atLeast <= 0.98 * 0.999 + 0.02 * 0.7) right += 1
    }
    expect(right / 400).toBeGreaterThan(0.92)
  })
})

describe('the ten nearest', () => {
  const numbered = (count: number): NeighbourDistance[] =>
    Array.from({ length: count }, (_, at) => [`t${at}`, at / 100])

  it('are kept, whatever comes in which order and how often', () => {
    const nearest = new NearestNeighbours()
    nearest.add(numbered(5))
    expect(nearest.furthest).toBe(Number.POSITIVE_INFINITY)
    nearest.add(numbered(40).toReversed())
    nearest.add(numbered(40))
    expect(nearest.furthest).toBe(0.09)
  })

  it('count as found up to a tie, in order of their distance', () => {
    const nearest = new NearestNeighbours()
    nearest.add(numbered(10))
    expect(nearest.foundIn(numbered(40).toReversed())).toBe(10)
    expect(nearest.foundIn(numbered(40).toReversed().slice(0, 35))).toBe(5)
    const tied: NeighbourDistance[] = Array.from({ length: 30 }, (_, at) => [`u${at}`, 0.09 + 5e-7])
    expect(nearest.foundIn(tied)).toBe(10)
  })
})

describe('a curve that is kept with its index', () => {
  it('is read as it was written', () => {
    expect(fromComment(toComment(curve))).toEqual(curve)
    expect(toComment(curve).length).toBeLessThan(150)
  })

  it('is none when it is missing, damaged or of another version', () => {
    const text = toComment(curve)
    const damaged = [
      null,
      '',
      'made by hand',
      '{',
      'null',
      '{"v":1}',
      text.slice(0, -5),
      text.replace('"v":1', '"v":2'),
      text.replace('[40,', '["40",'),
      text.replace('[40,', '[0,'),
      text.replace('[40,', '[1e9,'),
      text.replace('0.94]', '94]'),
      text.replace('"n":30000', '"n":"many"'),
      text.replace('"p":[', '"p":[null,'),
    ]
    for (const comment of damaged) expect(fromComment(comment), `${comment}`).toBeUndefined()
  })

  it('is measured again when it says nothing, or little of the present size; a newer version is left alone', () => {
    const text = toComment(curve)
    expect([15_000, 30_000, 45_000].map((size) => isOutdated(text, size))).toEqual([
      false,
      false,
      false,
    ])
    expect(isOutdated(text, 45_001)).toBe(true)
    expect(isOutdated(text, 14_999)).toBe(true)
    expect(isOutdated(null, 30_000)).toBe(true)
    expect(isOutdated('damaged', 30_000)).toBe(true)
    expect(isOutdated(text.replace('"v":1', '"v":2'), 90_000)).toBe(false)
  })
})

describe('the effort by a curve', () => {
  it('is twice the least that was measured to reach what is wanted', () => {
    expect(minEffort(curve, 0.992)).toMatchObject({ efSearch: 80 })
    expect(effortsFor(index())[0]).toMatchObject({ efSearch: 160, candidates: 20, results: 10 })
    expect(effortsFor(index(), { minRecall: 0.9 })[0]?.efSearch).toBe(80)
    expect(effortsFor(index(), { minRecall: 0.998 })[0]).toMatchObject({
      efSearch: 261,
      candidates: 50,
    })
  })

  it('is followed by that of the formula for results further down', () => {
    expect(effortsFor(index()).slice(1)).toEqual(unmeasured)
  })

  it('is that of the formula before there is one, and when the project has another size', () => {
    for (const vectors of [14_000, 46_000]) {
      const without = effortsFor(index({ vectors, recall: undefined }))
      expect(effortsFor(index({ vectors }))).toEqual(without)
      expect(measuredPoint(index({ vectors }))).toBeUndefined()
    }
  })

  it('is no less than that of the formula where no point reaches what is wanted', () => {
    const [first] = unmeasured
    const low = { ...curve, points: [point(80, 0.95, 0.94)] }
    expect(effortsFor(index({ recall: low }))[0]?.efSearch).toBe(first?.efSearch)
    const hard = { ...curve, points: [point(1_000, 0.95, 0.94)] }
    expect(effortsFor(index({ recall: hard }))[0]?.efSearch).toBe(1_000)
    expect(effortsFor(index({ recall: { ...curve, points: [] } }))).toEqual(unmeasured)
  })

  it('is the least that reaches it on average where a few bad searches leave no confidence', () => {
    const wide = [point(60, 0.937, 0.919), point(120, 0.997, 0.991), point(1_000, 0.998, 0.991)]
    const [first] = effortsFor(index({ recall: { ...curve, points: wide } }))
    expect(first?.efSearch).toBe(240)
    expect(reaches(index({ recall: { ...curve, points: wide } }), 0.995)).toBe(false)
  })

  it('is greater with a filter where nothing can be scanned, and finds more than it gives out, but at the end', () => {
    const unfiltered = effortsFor(index())
    const stages = stagesFor(index(), { isFiltered: true, canScan: false })
    expect(stages[0]).toMatchObject({ efSearch: 200, candidates: 160, results: 10 })
    const last = stages.pop()
    expect(last).toEqual({ ...stages.at(-1), results: last?.candidates })
    for (const [at, stage] of stages.entries()) {
      expect(stage.efSearch).toBeGreaterThanOrEqual(unfiltered[at]?.efSearch ?? 0)
      expect(10 * stage.results).toBeLessThanOrEqual(stage.candidates)
    }
  })

  it('reaches what was measured', () => {
    expect(reaches(index(), 0.998)).toBe(true)
    expect(reaches(index(), 0.999)).toBe(false)
    expect(reaches(index({ recall: { ...curve, points: [point(1_000, 0.98, 0.97)] } }))).toBe(false)
  })

  it('reaches nothing that was not measured, but what is promised where nothing is', () => {
    for (const kind of ['halfvec_l2', 'bit'] as const) {
      const recall = undefined
      expect(reaches(index({ kind, recall }))).toBe(false)
      expect(reaches(index({ kind, recall, vectors: 100_000_000 }))).toBe(true)
      expect(reaches(index({ kind, recall, vectors: 100_000_000 }), 0.995)).toBe(false)
    }
  })

  it('reaches what is promised while a project grows, but not by signs', () => {
    expect(reaches(index({ vectors: 90_000 }))).toBe(true)
    expect(reaches(index({ vectors: 90_000 }), 0.998)).toBe(false)
    expect(reaches(index({ kind: 'bit' }))).toBe(true)
    expect(reaches(index({ kind: 'bit', vectors: 90_000 }))).toBe(false)
  })
})
