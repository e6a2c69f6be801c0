import { describe, expect, it } from 'vitest'
import { AllPairs } from '../../src/neighbours/all-pairs.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { hardVectors } from '../support/data/vector-rows.ts'
import { similarity } from '../support/data/vectors.ts'

interface Options {
  readonly k: number
  readonly threshold: number
  readonly after?: number
  readonly groups?: readonly number[]
}

function computed(vectors: readonly Float32Array[], { k, threshold, after = 0, groups }: Options) {
  const pairs = new AllPairs({ dimensions: vectors[0]?.length ?? 0, k, threshold })
  for (const [row, vector] of vectors.entries()) pairs.add(vector, groups?.[row])
  pairs.start(after)
  const rows: { id: number; similarity: number }[][] = []
  for (let found = pairs.next(128, 0); found !== undefined; found = pairs.next(128, 0)) {
    expect(found.first).toBe(after + rows.length)
    for (const { neighbours, similarities } of found.rows) {
      rows.push(
        Array.from(neighbours, (id, at) => ({ id, similarity: similarities[at] ?? Number.NaN })),
      )
    }
  }
  return rows
}

/** By plain arithmetic in float64. */
const expected = (vectors: readonly Float32Array[], options: Options) =>
  vectors.slice(options.after ?? 0).map((vector, at) => {
    const row = (options.after ?? 0) + at
    return vectors
      .map((other, id) => ({ id, similarity: similarity([...vector], [...other]) }))
      .filter(({ id }) => id !== row)
      .filter(({ id }) => !options.groups || options.groups[id] !== options.groups[row])
      .filter((one) => one.similarity >= options.threshold - 1e-6)
      .map((one) => ({ ...one, similarity: Math.min(1, Math.max(0, one.similarity)) }))
      .sort((a, b) => b.similarity - a.similarity || a.id - b.id)
      .slice(0, options.k)
  })

const sizes: [count: number, dimensions: number][] = [
  [1, 3],
  [2, 1],
  [5, 7],
  [97, 16],
  [200, 33],
  [400, 8],
  [30, 6_000],
]
describe.each(sizes)('the neighbours of %i vectors of %i dimensions', (count, dimensions) => {
  const vectors = hardVectors(count, dimensions)
  const groups = vectors.map((_, row) => (row * 7) % 3)
  it.each<[string, Options]>([
    ['the best few', { k: 3, threshold: 0.5 }],
    ['as many as there are', { k: 100, threshold: 0 }],
    ['none', { k: 5, threshold: 1.5 }],
    ['of the second half', { k: 4, threshold: 0.2, after: Math.floor(count / 2) }],
    ['of other groups', { k: 4, threshold: 0.2, groups }],
  ])('are what plain arithmetic finds: %s', (_, options) => {
    const rows = computed(vectors, options)
    const wanted = expected(vectors, options)
    expect(rows).toHaveLength(wanted.length)
    for (const [row, found] of rows.entries()) {
      const truth = wanted[row] ?? []
      expect(found.length, `${row}`).toBe(truth.length)
      for (const [place, { similarity: is }] of found.entries()) {
        expect(Math.abs(is - (truth[place]?.similarity ?? Number.NaN))).toBeLessThan(1e-6)
      }
    }
  })
})

it('has equal ones in the order of their numbers, and the first of them where not all fit', () => {
  const vectors = Array.from({ length: 250 }, (_, row) => Float32Array.of(row % 2, 1, 0.5))
  const ids = (row: number, options: Options) =>
    computed(vectors, options)[row]?.map(({ id }) => id)
  expect(ids(0, { k: 3, threshold: 0.99 })).toEqual([2, 4, 6])
  expect(ids(4, { k: 3, threshold: 0.99 })).toEqual([0, 2, 6])
  expect(ids(248, { k: 4, threshold: 0.99 })).toEqual([0, 2, 4, 6])
  // The rows before the first wanted one are compared later than those behind it.
  expect(ids(0, { k: 3, threshold: 0.99, after: 200 })).toEqual([0, 2, 4])
})

it.each([
  [1_536, 300],
  [16_000, 3_000],
])(
  'finds copies of another length, of %i dimensions with a large component',
  (dimensions, large) => {
    const random = randomNumbers(dimensions)
    const vectors = Array.from({ length: 6 }, (_, row) =>
      Float32Array.from({ length: dimensions }, (_, at) => (at === row ? large : random() - 0.4)),
    )
    const copies = vectors.map((vector) => vector.map((value) => 3 * value))
    const rows = computed([...vectors, ...copies], { k: 12, threshold: 1 })
    expect(rows.map((row) => row.map(({ id }) => id))).toEqual(
      rows.map((_, row) => [(row + 6) % 12]),
    )
  },
)
