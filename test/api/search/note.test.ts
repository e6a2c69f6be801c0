import { describe, expect, it } from 'vitest'
import { asAdmin } from '../../support/client.ts'
import { untilCached } from '../../support/data/cached.ts'
import { filterable } from '../../support/data/filters.ts'
import { search, searchBy, searchFrom } from '../../support/data/similars.ts'
import { embedding, type Project, upload } from '../../support/factories.ts'

async function noteOf(project: Project, metadata_path: string, metadata_value = 'x') {
  const query = { metadata_path, metadata_value }
  // Until then, that is a note too.
  await untilCached(project, 2)
  const [from, by] = [
    await searchFrom(project, 'source', query),
    await searchBy(project, [1, 1], query),
  ]
  expect([from.status, by.status]).toEqual([200, 200])
  const note = from.headers.get('x-search-note')
  expect(by.headers.get('x-search-note')).toBe(note)
  return note
}

const missing = (field: string) =>
  `No document of this project has a field ${field} in its metadata`

describe('X-Search-Note', () => {
  it('says that no document has the field of a filter', async () => {
    const project = await filterable({ a: { ref: { book: 'Mark' } }, b: { 'ré.f': null }, c: null })
    expect(await noteOf(project, 'ref.bok')).toBe(missing('"ref.bok"'))
    expect(await noteOf(project, 'book')).toBe(missing('"book"'))
    expect(await noteOf(project, 'ref.book.name')).toBe(missing('"ref.book.name"'))
    // Headers are ASCII.
    expect(await noteOf(project, 'é😀')).toBe(missing('"\\u00e9\\ud83d\\ude00"'))
    expect(await noteOf(project, 'x'.repeat(900))).toBe(missing(`"${'x'.repeat(100)}..."`))
  })

  it('is absent where one document has it, whatever the value', async () => {
    const project = await filterable({ a: { ref: { book: 'Mark' } }, b: { 'ré.f': null }, c: null })
    for (const path of ['ref.book', 'ref', 'ré\\.f']) expect(await noteOf(project, path)).toBeNull()
    expect((await searchBy(project, [1, 1])).headers.get('x-search-note')).toBeNull()
  })

  it('is about what a filter finds in arrays, and metadata_path does not', async () => {
    const project = await filterable({
      a: { items: [{ name: 'x' }, { name: 'y', parts: [{ of: null }] }], list: [1] },
    })
    await untilCached(project, 2)
    const noteFor = async (filter: object) => {
      const query = { filter: JSON.stringify(filter) }
      return (await searchFrom(project, 'source', query)).headers.get('x-search-note')
    }
    for (const path of ['items.name', 'items', 'items.parts.of', 'list']) {
      expect((await noteFor({ [path]: 'x' })) ?? '', path).not.toContain('has a field')
    }
    expect(await noteOf(project, 'items.name')).toBe(missing('"items.name"'))
    expect(await noteFor({ 'items.nam': 'x' })).toBe(missing('"items.nam"'))
    expect(await noteFor({ 'list.name': 'x' })).toBe(missing('"list.name"'))
  })

  it.each([
    [{ 'ref.chapter': '5' }, 'a text', 'ref.chapter', 'a number'],
    [{ 'ref.chapter': { $gt: '4' } }, 'a text', 'ref.chapter', 'a number'],
    [{ 'ref.chapter': { $ne: '5' } }, 'a text', 'ref.chapter', 'a number'],
    [{ 'ref.chapter': { $in: ['5', true] } }, 'a text or a boolean', 'ref.chapter', 'a number'],
    [{ $not: { 'ref.chapter': { $prefix: '5' } } }, 'a text', 'ref.chapter', 'a number'],
    [{ 'ref.chapter': { $contains: 5 } }, 'a number in an array', 'ref.chapter', 'a number'],
    [{ tags: 7 }, 'a number', 'tags', 'a text'],
    [{ tags: { $contains: 7 } }, 'a number in an array', 'tags', 'an array'],
    [{ ref: 'Mark' }, 'a text', 'ref', 'an object'],
    [{ done: 1 }, 'a number', 'done', 'a boolean'],
    [{ gone: 'x' }, 'a text', 'gone', 'null'],
  ])('says that a field has no value that %j could find', async (filter, wanted, field, found) => {
    const project = await filterable({
      a: { ref: { chapter: 5 }, tags: ['x', 'y'], done: true, gone: null },
      b: { ref: { chapter: 6 } },
    })
    await untilCached(project, 2)
    const query = { filter: JSON.stringify(filter) }
    const { headers } = await searchFrom(project, 'source', query)
    expect(headers.get('x-search-note')).toBe(
      `No document of this project has ${wanted} in the field "${field}", with which the filter compares it: the first that has the field has ${found}`,
    )
  })

  it.each([
    { 'ref.chapter': 9 },
    { 'ref.chapter': { $in: ['5', 9] } },
    { 'ref.chapter': { $exists: true } },
    { tags: 'z' },
    { tags: { $contains: 'z' } },
    { mixed: '1' },
    { mixed: { $gt: 8 } },
    { gone: null },
    { none: 'x' },
  ])('is absent where %j could find something', async (filter) => {
    const project = await filterable({
      a: { ref: { chapter: 5 }, tags: ['x', 'y'], gone: null, mixed: 'x', none: [] },
      b: { mixed: [2, true] },
    })
    await untilCached(project, 2)
    const { headers } = await searchFrom(project, 'source', { filter: JSON.stringify(filter) })
    expect(headers.get('x-search-note')).toBeNull()
  })

  it('says that no document has the field to group by', async () => {
    const project = await filterable({ a: { ref: { book: 'Mark' }, list: [{ of: 1 }] } })
    await untilCached(project, 2)
    for (const group_by of ['ref.bok', 'list.of']) {
      const { headers } = await searchFrom(project, 'source', { group_by })
      expect(headers.get('x-search-note')).toBe(missing(`"${group_by}"`))
    }
    const { headers } = await searchFrom(project, 'source', { group_by: 'ref.book' })
    expect(headers.get('x-search-note')).toBeNull()
    const byBoth = { text_id: 'source', words: 'none', group_by: 'ref.bok' }
    const answer = await search(project, byBoth)
    expect(answer.headers.get('x-search-note')).toBe(missing('"ref.bok"'))
  })

  it('goes away when a document with the field comes', async () => {
    const project = await filterable({ a: {} })
    expect(await noteOf(project, 'kind')).toBe(missing('"kind"'))
    expect(await noteOf(project, 'kind')).toBe(missing('"kind"'))
    await upload(project, embedding('b', [1, 1], { metadata: { kind: 'new' } }))
    expect(await noteOf(project, 'kind')).toBeNull()
  })

  it('says of how many documents that is known in a large project', async () => {
    const project = await filterable({})
    const items = Array.from({ length: 1_100 }, (_, index) =>
      embedding(`t${String(index).padStart(4, '0')}`, [1, 1], {
        metadata: index < 1_050 ? {} : { late: true },
      }),
    )
    await upload(project, ...items)
    expect(await noteOf(project, 'late')).toBe(
      'None of the first 1,000 documents by text_id has a field "late" in its metadata',
    )
  })

  it('is not said of an empty project', async () => {
    const project = await filterable({})
    await asAdmin('DELETE', project.path('embeddings'))
    const query = { metadata_path: 'x', metadata_value: 'y' }
    expect((await searchBy(project, [1, 1], query)).headers.get('x-search-note')).toBeNull()
  })
})
