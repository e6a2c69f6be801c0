import { describe, expect, it } from 'vitest'
import { fatesOf, flawsOfCounts, versionOf } from '../torture/judgements.ts'
import { textOf } from '../torture/texts.ts'

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
