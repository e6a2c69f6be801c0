import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { filterable } from '../../support/data/filters.ts'
import { refusal } from '../../support/data/refusals.ts'
import { idsOf, search, searchFrom } from '../../support/data/similars.ts'
import type { Project } from '../../support/factories.ts'

const documents: Readonly<Record<string, unknown>> = {
  a: { year: 1611, ref: { book: 'Mark', chapter: 3 }, tags: ['sermon', 'parable'] },
  b: { year: '1611', ref: { book: 'Luke', chapter: 10 }, tags: 'sermon' },
  c: { year: 1700.5, ref: [{ book: 'John' }, { book: 'Luke' }], tags: [] },
  d: { year: null, 'a.b': 1, text_id: 'x', $odd: true },
  e: { nested: [[1, 'deeper'], 'flat'], items: [{ of: [1] }, { of: 2 }] },
  f: null,
}

let made: Promise<Project> | undefined
const project = () => {
  made ??= filterable(documents)
  return made
}

/** What a filter keeps, by each kind of search. */
async function kept(filter: unknown): Promise<string> {
  const query = { filter: JSON.stringify(filter), limit: 200 }
  const found = await idsOf(searchFrom(await project(), 'source', query))
  const { body } = await search(await project(), { text_id: 'source', filter, limit: 200 })
  expect(body.results).toEqual(found.map((id) => ({ id, similarity: 1 })))
  return found.join('')
}

describe('a filter keeps', () => {
  it.each<[unknown, string]>([
    [{}, 'abcdef'],
    [{ year: 1611 }, 'a'],
    // Of an array the elements, not what is in elements of elements.
    [{ nested: 1 }, ''],
    [{ nested: { $gt: 0 } }, ''],
    [{ nested: { $contains: 1 } }, ''],
    [{ nested: { $prefix: 'deep' } }, ''],
    [{ nested: { $nin: [1] } }, 'abcdef'],
    [{ nested: 'flat' }, 'e'],
    [{ year: '1611' }, 'b'],
    [{ year: { $ne: 1611 } }, 'bcdef'],
    [{ year: { $gt: 1611 } }, 'c'],
    [{ year: { $gte: 1611, $lt: 1700.5 } }, 'a'],
    [{ year: { $lte: 1700.5 } }, 'ac'],
    [{ year: { $gt: '16' } }, 'b'],
    [{ year: null }, 'd'],
    [{ year: { $exists: true } }, 'abcd'],
    [{ year: { $exists: false } }, 'ef'],
    [{ year: { $not: { $gte: 1611 } } }, 'bdef'],
    [{ 'ref.book': 'Luke' }, 'bc'],
    [{ 'ref.book': { $in: ['Mark', 'John'] } }, 'ac'],
    [{ 'ref.book': { $nin: ['Mark', 'Luke'] } }, 'def'],
    [{ 'ref.book': { $in: [] } }, ''],
    [{ 'ref.book': { $nin: [] } }, 'abcdef'],
    [{ 'ref.book': { $prefix: 'L' } }, 'bc'],
    [{ tags: 'sermon' }, 'ab'],
    [{ tags: { $contains: 'sermon' } }, 'a'],
    // Of an array of objects each one alone: an array of one does not make arrays of the others' scalars.
    [{ 'items.of': { $contains: 1 } }, 'e'],
    [{ 'items.of': { $contains: 2 } }, ''],
    [{ 'items.of': 2 }, 'e'],
    [{ 'ref.book': 'Luke', 'ref.chapter': { $gt: 9 } }, 'b'],
    [{ $or: [{ year: 1611 }, { 'ref.book': 'Luke' }] }, 'abc'],
    [{ $and: [{ tags: 'sermon' }, { $not: { year: 1611 } }] }, 'b'],
    [{ $not: {} }, ''],
    [{ 'a\\.b': 1 }, 'd'],
    [{ '\\text_id': 'x' }, 'd'],
    [{ '\\$odd': true }, 'd'],
    [{ text_id: 'c' }, 'c'],
    [{ text_id: { $in: ['a', 'f', 'nobody'] } }, 'af'],
    [{ text_id: { $gt: 'b', $lte: 'd' } }, 'cd'],
    [{ text_id: { $prefix: 'e' } }, 'e'],
    [{ text_id: { $ne: 'e' } }, 'abcdf'],
    [{ $or: [{ text_id: 'f' }, { year: 1611 }] }, 'af'],
    [{ $not: { $or: [{ text_id: 'f' }, { year: 1611 }] } }, 'bcde'],
    [{ created_at: { $gte: '2020-01-01', $lt: '2999-12-31T00:00:00+01:00' } }, 'abcdef'],
    [{ created_at: { $lt: '2020-01-01' } }, ''],
    [{ created_at: { $gte: '0001-01-01', $lte: '9999-12-31T23:59:59Z' } }, 'abcdef'],
    [{ created_at: { $nin: ['2020-01-01'] } }, 'abcdef'],
    [{ __proto__: null, constructor: 'x' }, ''],
  ])('%j', async (filter, ids) => {
    expect(await kept(filter)).toBe(ids)
  })

  it('what was made at a time as it is shown', async () => {
    const { owner, path } = await project()
    const { body } = await call('GET', `${path('embeddings')}/a`, owner)
    expect(await kept({ created_at: body.created_at, text_id: { $ne: 'source' } })).toBe('abcdef')
  })

  it('what many values name', async () => {
    const values = Array.from({ length: 200 }, (_, index) => index)
    expect(await kept({ 'ref.chapter': { $in: values } })).toBe('ab')
  })
})

const deep = (levels: number): unknown => (levels === 0 ? { a: 1 } : { $not: deep(levels - 1) })

describe('a filter is refused', () => {
  it.each<[unknown, string]>([
    [5, 'filter must be an object such as {"ref.book": "Mark"}'],
    [{ a: [1] }, 'filter.a must be a value or operators; for several values use $in'],
    [{ a: {} }, 'filter.a must have an operator such as $eq or $in'],
    [{ 'r.b': { $eqq: 1 } }, 'filter.r.b.$eqq is no operator; did you mean $eq?'],
    [{ $nor: [] }, 'filter.$nor is no operator; did you mean $or?'],
    [{ a: { b: 1 } }, 'filter.a.b must be an operator; known here: $eq, $ne'],
    [{ a: { $gt: true } }, 'filter.a.$gt must be a number or a string'],
    [{ a: { $in: 5 } }, 'filter.a.$in must be an array of values'],
    [{ a: { $in: [1, [2]] } }, 'filter.a.$in[1] must be a string, a number, a boolean or null'],
    [{ a: { $exists: 1 } }, 'filter.a.$exists must be true or false'],
    [{ $and: [] }, 'filter.$and must be an array of at least one filter'],
    [{ $and: [{ a: 1 }, 5] }, 'filter.$and[1] must be an object such as'],
    [{ text_id: 5 }, 'filter.text_id must be a string'],
    [{ text_id: { $exists: true } }, 'filter.text_id.$exists has no meaning'],
    [
      { text_id: { $contains: 'a' } },
      'filter.text_id.$contains has no meaning: text_id is no array',
    ],
    [{ created_at: { $prefix: '2026-11-22' } }, 'filter.created_at.$prefix has no meaning'],
    [{ created_at: '2026-02-30' }, 'filter.created_at must be a date such as 2026-11-22'],
    [{ created_at: { $gt: '0000-12-31' } }, 'filter.created_at.$gt must be a date such as'],
    [
      { created_at: { $lt: '0001-01-01T00:00:00+01:00' } },
      'filter.created_at.$lt must be a date such as',
    ],
    [
      { created_at: { $in: ['9999-12-31T23:59:59-00:01'] } },
      'filter.created_at.$in[0] must be a date such as',
    ],
    [{ created_at: { $gt: 'yesterday' } }, 'filter.created_at.$gt must be a date'],
    [{ '': 1 }, 'filter. must not be empty'],
    [{ a: '\u0000' }, 'filter.a must not hold NUL characters or lone surrogates'],
    [deep(16), 'is nested deeper than 16 levels'],
    [{ $or: Array(300).fill({ a: 1 }) }, 'a filter has at most 256 conditions'],
    [{ a: { $in: Array(201).fill(1) } }, 'at most 200 values are compared with metadata'],
    [{ text_id: { $in: Array(1_001).fill('a') } }, 'a filter has at most 1000 values'],
  ])('%j', async (filter, message) => {
    const { owner, path } = await project()
    const query = `?filter=${encodeURIComponent(JSON.stringify(filter))}`
    const inUrl = await call('GET', `${path('similars')}/source${query}`, owner)
    expect(inUrl).toMatchObject(refusal(400, message))
    const inBody = await search(await project(), { vector: [1, 1], filter })
    // Behind the place stands a colon there.
    const problem = message.replace(/^filter\S* /, '')
    expect(inBody).toMatchObject(refusal(400, problem))
  })

  it.each([
    [{ ['x'.repeat(4_097)]: 1 }, 'must have at most 4096 characters'],
    [{ a: 'x'.repeat(262_145) }, 'the texts of a filter have at most 262144 characters together'],
    [
      { text_id: { $in: Array(100).fill('é'.repeat(3_000)) } },
      'is too long: the texts of a filter',
    ],
  ])('whose texts are very long', async (filter, message) => {
    expect(await search(await project(), { vector: [1, 1], filter })).toMatchObject(
      refusal(400, message),
    )
  })

  it('where it is not JSON', async () => {
    const { owner, path } = await project()
    const { status, body } = await call('GET', `${path('similars')}/source?filter=book:Mark`, owner)
    expect(status).toBe(400)
    expect(body.detail).toBe('filter must be JSON such as {"ref.book":"Mark"}, percent-encoded')
  })
})
