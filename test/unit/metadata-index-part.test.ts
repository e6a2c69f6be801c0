import { describe, expect, it } from 'vitest'
import { parseFilter } from '../../src/filters/parse.ts'
import { indexedPart, jsonPathOf } from '../../src/filters/path-predicate.ts'

describe('what the index on metadata finds of a filter', () => {
  const partOf = (filter: object) => {
    const part = indexedPart(parseFilter(filter))
    return part && jsonPathOf(part)
  }
  const both = jsonPathOf(parseFilter({ a: 1, 'b.c': 'x' }))

  it.each([
    [{ a: 1, 'b.c': 'x' }, both],
    [{ a: 1, 'b.c': 'x', d: { $gt: 3 } }, both],
    [{ a: 1, 'b.c': 'x', d: { $ne: 3 } }, both],
  ])('of %j is what has equal values', (filter, part) => {
    expect(partOf(filter)).toBe(part)
  })

  it.each([
    { $or: [{ a: 1 }, { 'b.c': { $in: ['x', 2] } }] },
    { tags: { $contains: 'x' } },
    { a: { $in: [1, null, true] } },
  ])('of %j is all of it', (filter) => {
    expect(partOf(filter)).toBe(jsonPathOf(parseFilter(filter)))
  })

  it.each([
    { a: { $ne: 1 } },
    { a: { $gt: 1 } },
    { a: { $in: [] } },
    { a: { $exists: true } },
    { $not: { a: 1 } },
    { $or: [{ a: 1 }, { b: { $lt: 2 } }] },
    { text_id: 'x' },
    { a: 1, text_id: { $gt: 'x' } },
    { a: 1, created_at: { $gt: '2020-01-01T00:00:00Z' } },
  ])('of %j is nothing', (filter) => {
    expect(partOf(filter)).toBeUndefined()
  })
})
