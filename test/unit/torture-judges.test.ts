import { describe, expect, it } from 'vitest'
import { fatesOf, flawsOfCounts, versionOf } from '../torture/judgements.ts'
import { unrest, uselessWork } from '../torture/servers/calm.ts'
import type { Life } from '../torture/servers/index-watch.ts'
import { type FoundIndex, faultsOf, limits, type Stored } from '../torture/servers/indexes.ts'
import { flawsOfPages } from '../torture/servers/pages.ts'
import { textOf } from '../torture/texts.ts'

const stored = (key: number, components: number): Stored => ({
  owner: 'ann',
  handle: `p${key}`,
  key,
  texts: components / 8,
  components,
})
const index = (key: number, changes: Partial<FoundIndex> = {}): FoundIndex => ({
  oid: key,
  name: `embeddings_hnsw_${key}_halfvec_l2_8`,
  key,
  valid: true,
  ...changes,
})
const { exactBudget } = limits
const projects = [
  stored(1, exactBudget * 5),
  stored(2, exactBudget * 4),
  stored(3, exactBudget * 3),
  stored(4, exactBudget * 2),
  stored(5, exactBudget * 0.7),
  stored(6, 8),
]
const right = [index(1), index(2), index(3)]
const fewer = [stored(1, exactBudget * 5), stored(5, exactBudget * 0.7), stored(6, 8)]

describe('what torture says of search indexes', () => {
  it('accepts what one server would have made', () => {
    expect(limits.maxIndexes).toBe(3)
    expect(faultsOf(right, projects)).toEqual([])
    expect(faultsOf([index(1)], fewer)).toEqual([])
    expect(faultsOf([index(1), index(5)], fewer)).toEqual([])
  })

  it.each([
    ['is missing', right.slice(1), projects, /has no index/],
    ['is broken', [index(1), index(2), index(3, { valid: false })], projects, /is broken/],
    ['is of a smaller one', [index(1), index(2), index(4)], projects, /not deserved/],
    ['is of one that is too small', [index(1), index(6)], fewer, /not deserved/],
    ['is of one that is gone', [index(1), index(7)], fewer, /is of nothing/],
    ['is there twice', [...right, index(3, { oid: 9 })], projects, /a second one/],
    ['is one too many', [...right, index(5)], projects, /there are 4 indexes/],
    ['has another name', [...right, index(0, { key: undefined })], projects, /no name/],
  ])('complains when one %s', (_, found, of, complaint) => {
    expect(faultsOf(found, of).join()).toMatch(complaint)
  })

  it('complains of work for nothing', () => {
    const life = (key: number, since: number, until?: number, oid = key): Life => ({
      index: index(key, { oid }),
      since,
      until,
    })
    expect(uselessWork([life(1, 0, 6_000), life(1, 6_100, undefined, 9)], 0, projects)).toEqual([])
    const twice = [life(1, 5_000, 6_000), life(1, 9_000, undefined, 9)]
    expect(uselessWork(twice, 0, projects).join()).toMatch(/built twice/)
    expect(uselessWork([life(4, 5_000)], 0, projects).join()).toMatch(/built for nothing/)
    expect(uselessWork([life(1, 5_000, 9_000)], 0, projects).join()).toMatch(/dropped for nothing/)
    expect(unrest([life(1, 5_000), life(2, 0, 4_000)], 6_000)).toEqual([])
    expect(unrest([life(1, 7_000), life(2, 0, 8_000)], 6_000)).toHaveLength(2)
  })

  it('complains of pages with gaps, repeats or strangers', () => {
    const texts = new Set(['a', 'b', 'c'])
    expect(flawsOfPages(['c', 'a', 'b'], texts)).toEqual([])
    expect(flawsOfPages(['a', 'b'], texts)).toEqual(['1 missing'])
    expect(flawsOfPages(['a', 'b', 'c', 'a'], texts)).toEqual(['1 repeated'])
    expect(flawsOfPages(['a', 'b', 'c', 'd'], texts)).toEqual(['1 unknown'])
  })
})

describe('what torture says of uploads of lines and replacements', () => {
  const textIds = Array.from({ length: 2_500 }, (_, at) => `t${at}`)

  it.each([
    [2_500, 'whole', ['stored', 'stored', 'stored']],
    [2_000, 'whole', ['stored', 'stored', 'lost']],
    [1_000, 'partial', ['stored', 'unknown', 'unknown']],
    [0, 'partial', ['unknown', 'unknown', 'unknown']],
    [0, 'refused', ['refused', 'refused', 'refused']],
  ] as const)('of %d stored by an answer that is %s', (stored, answer, fates) => {
    const found = fatesOf(textIds, stored, answer)
    expect(found.map(({ fate }) => fate)).toEqual(fates)
    expect(found.flatMap((batch) => batch.textIds)).toEqual(textIds)
  })

  it('knows each version as a whole, and complains of a mixture', () => {
    const id = textIds.find((textId) =>
      [0, 1].every((version) => {
        const { text, metadata } = textOf(textId, 3, version)
        return text !== undefined && metadata !== undefined
      }),
    )
    const [before, after] = [textOf(id ?? '', 3), textOf(id ?? '', 3, 1)]
    expect(versionOf(before, [0, 1], 3)).toBe(0)
    expect(versionOf(after, [0, 1], 3)).toBe(1)
    expect(versionOf(before, [1], 3)).toBe(undefined)
    for (const part of ['vector', 'text', 'metadata'] as const) {
      expect(versionOf({ ...before, [part]: after[part] }, [0, 1], 3)).toBe(undefined)
      expect(versionOf({ ...after, [part]: before[part] }, [0, 1], 3)).toBe(undefined)
    }
  })

  it('complains of a recorded count that is not that of the rows', () => {
    expect(flawsOfCounts(3, { total_count: 3, embedding_count: 3 })).toEqual([])
    expect(flawsOfCounts(3, { total_count: 3, embedding_count: 4 })).toEqual([
      'embedding_count is 4, and there are 3 rows',
    ])
  })
})
