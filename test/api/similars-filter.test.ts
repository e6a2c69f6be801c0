import { describe, expect, it } from 'vitest'
import { read } from '../support/embeddings.ts'
import { embedding, newProject, type Project, upload } from '../support/factories.ts'
import { idsOf, searchBy, searchFrom } from '../support/similars.ts'

/** A project with one document for each metadata, named by its key and all of one direction. */
async function projectOf(documents: Record<string, unknown>): Promise<Project> {
  const project = await newProject({}, { dimensions: 2 })
  const items = Object.entries(documents).map(([id, metadata]) =>
    embedding(id, [1, 1], { metadata }),
  )
  await upload(project, ...items, embedding('source', [1, 1]))
  return project
}

/** The ids that a filter leaves; both kinds of search must agree. */
async function kept(project: Project, metadata_path: string, metadata_value: string) {
  const query = { metadata_path, metadata_value, limit: 200 }
  const found = await idsOf(searchFrom(project, 'source', query))
  const byVector = await idsOf(searchBy(project, [1, 1], query))
  expect(byVector.filter((id) => id !== 'source')).toEqual(found)
  return found
}

describe('a filter leaves out documents', () => {
  it('whose field equals the value', async () => {
    const project = await projectOf({ a: { author: 'Luke' }, b: { author: 'Mark' }, c: {} })
    expect(await kept(project, 'author', 'Luke')).toEqual(['b', 'c'])
    expect(await kept(project, 'author', 'luke')).toEqual(['a', 'b', 'c'])
    expect(await kept(project, 'author', 'Luk')).toEqual(['a', 'b', 'c'])
    expect(await kept(project, 'Author', 'Luke')).toEqual(['a', 'b', 'c'])
  })

  it('by nested fields', async () => {
    const project = await projectOf({
      a: { ref: { book: { name: 'Luke' } } },
      b: { ref: { book: { name: 'Mark' } } },
      c: { ref: { book: 'Luke' } },
      d: { 'ref.book.name': 'Luke' },
    })
    expect(await kept(project, 'ref.book.name', 'Luke')).toEqual(['b', 'c', 'd'])
    expect(await kept(project, 'ref.book', 'Luke')).toEqual(['a', 'b', 'd'])
    expect(await kept(project, 'ref\\.book\\.name', 'Luke')).toEqual(['a', 'b', 'c'])
  })

  it('by keys with dots, backslashes, quotes and odd characters', async () => {
    const keys = ['a.b', 'a\\b', 'a"b', "a'b", '$1', '%', ' ', '😀', '__proto__', 'constructor']
    for (const key of keys) {
      const metadata: unknown = JSON.parse(`{${JSON.stringify(key)}:"x"}`)
      const project = await projectOf({ has: metadata, other: { x: 'x' } })
      const path = key.replaceAll('\\', '\\\\').replaceAll('.', '\\.')
      expect(await kept(project, path, 'x'), key).toEqual(['other'])
    }
  })

  it('by empty keys, where dots meet', async () => {
    const project = await projectOf({ a: { '': { '': 'x' } }, b: { a: { '': 'x' } } })
    expect(await kept(project, '.', 'x')).toEqual(['b'])
    expect(await kept(project, 'a.', 'x')).toEqual(['a'])
  })

  it('where any element of an array equals the value', async () => {
    const project = await projectOf({
      a: { tags: ['x', 'y'] },
      b: { tags: ['z'] },
      c: { tags: [] },
      d: { tags: [1, true, null, 'y'] },
      e: { tags: [['x'], { x: 'x' }] },
    })
    expect(await kept(project, 'tags', 'y')).toEqual(['b', 'c', 'e'])
    expect(await kept(project, 'tags', 'x')).toEqual(['b', 'c', 'd', 'e'])
    expect(await kept(project, 'tags', '1')).toEqual(['a', 'b', 'c', 'e'])
    expect(await kept(project, 'tags', 'true')).toEqual(['a', 'b', 'c', 'e'])
  })

  it('by the JSON text of numbers and booleans', async () => {
    const project = await projectOf({
      a: { v: 5 },
      b: { v: '5' },
      c: { v: 5.5 },
      d: { v: -0.25 },
      e: { v: true },
      f: { v: false },
      g: { v: 'true' },
    })
    expect(await kept(project, 'v', '5')).toEqual(['c', 'd', 'e', 'f', 'g'])
    expect(await kept(project, 'v', '5.5')).toEqual(['a', 'b', 'd', 'e', 'f', 'g'])
    expect(await kept(project, 'v', '-0.25')).toEqual(['a', 'b', 'c', 'e', 'f', 'g'])
    expect(await kept(project, 'v', 'true')).toEqual(['a', 'b', 'c', 'd', 'f'])
    expect(await kept(project, 'v', 'false')).toEqual(['a', 'b', 'c', 'd', 'e', 'g'])
    expect(await kept(project, 'v', '5.0')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
  })

  it('whose field is empty when the value is', async () => {
    const project = await projectOf({ a: { v: '' }, b: { v: ' ' }, c: { v: null }, d: {} })
    expect(await kept(project, 'v', '')).toEqual(['b', 'c', 'd'])
  })

  it('by values with any characters', async () => {
    for (const value of ["it's", '"', '\\', '%', 'a b+c&d=e', '😀', '{}', '[]', "'; --", '$1']) {
      const project = await projectOf({ a: { v: value }, b: { v: 'other' } })
      expect(await kept(project, 'v', value), value).toEqual(['b'])
    }
  })
})

describe('a filter keeps documents', () => {
  it('without metadata or without the field', async () => {
    const project = await newProject({}, { dimensions: 2 })
    await upload(
      project,
      embedding('a', [1, 1]),
      embedding('b', [1, 1], { metadata: { x: 1 } }),
      embedding('source', [1, 1], { metadata: { v: 'x' } }),
    )
    expect(await kept(project, 'v', 'x')).toEqual(['a', 'b'])
    expect(await kept(project, 'v.w', 'x')).toEqual(['a', 'b'])
  })

  it('whose field is null or an object', async () => {
    const project = await projectOf({ a: { v: null }, b: { v: { x: 1 } }, c: { v: {} } })
    for (const value of ['null', '', '{"x":1}', '{"x": 1}', '{}']) {
      expect(await kept(project, 'v', value), value).toEqual(['a', 'b', 'c'])
    }
  })

  it('where a path with a number meets an array', async () => {
    const project = await projectOf({ a: { v: ['x'] }, b: { v: { 0: 'x' } } })
    expect(await kept(project, 'v.0', 'x')).toEqual(['a'])
    expect(await kept(project, 'v.-1', 'x')).toEqual(['a', 'b'])
  })

  it('where the path goes on below a scalar or an array of objects', async () => {
    const project = await projectOf({ a: { v: 'x' }, b: { v: [{ w: 'x' }] } })
    expect(await kept(project, 'v.w', 'x')).toEqual(['a', 'b'])
    expect(await kept(project, 'v.length', '1')).toEqual(['a', 'b'])
  })
})

describe('a filter', () => {
  it('never shortens a page, and is applied before the offset', async () => {
    const project = await newProject({}, { dimensions: 2 })
    const items = Array.from({ length: 120 }, (_, index) => {
      const metadata = { part: index % 10 === 0 ? 'rare' : 'common' }
      return embedding(`t${String(index).padStart(3, '0')}`, [1, index / 1_000], { metadata })
    })
    await upload(project, ...items)
    const rare = items.flatMap(({ text_id }, index) => (index % 10 === 0 ? [text_id] : []))
    const query = { metadata_path: 'part', metadata_value: 'common' }
    expect(await idsOf(searchBy(project, [1, 0], { ...query, limit: 12 }))).toEqual(rare)
    expect(await idsOf(searchBy(project, [1, 0], { ...query, limit: 5, offset: 5 }))).toEqual(
      rare.slice(5, 10),
    )
  })

  it.each([
    ['metadata_path=v', 'metadata_path requires metadata_value to be specified'],
    ['metadata_value=x', 'metadata_value requires metadata_path to be specified'],
    ['metadata_value=', 'metadata_value requires metadata_path to be specified'],
  ])('with %s alone is refused', async (query, detail) => {
    const project = await projectOf({})
    const refusal = { status: 400, body: { title: 'Bad Request', detail } }
    const paths = [
      `${project.path('similars')}/source?`,
      `${project.path('similars')}?text_id=source&`,
    ]
    for (const path of paths) expect(await read(project, path + query)).toMatchObject(refusal)
    const parameters = Object.fromEntries(new URLSearchParams(query))
    expect(await searchBy(project, [1, 1], parameters)).toMatchObject(refusal)
  })

  it.each([
    ['an empty path', 'metadata_path=&metadata_value=x'],
    ['a path given twice', 'metadata_path=a&metadata_path=b&metadata_value=x'],
    ['a value given twice', 'metadata_path=a&metadata_value=x&metadata_value=y'],
    ['a path of 33 segments', `metadata_path=${'a.'.repeat(32)}a&metadata_value=x`],
    ['a very long path', `metadata_path=${'a'.repeat(1_001)}&metadata_value=x`],
  ])('with %s is refused', async (_, query) => {
    const project = await projectOf({})
    const path = `${project.path('similars')}/source?${query}`
    expect((await read(project, path)).status).toBe(400)
  })

  it('may walk 32 levels', async () => {
    const depth = 32
    const metadata: unknown = JSON.parse('{"a":'.repeat(depth) + '"x"' + '}'.repeat(depth))
    const project = await projectOf({ deep: metadata, flat: { a: 'x' } })
    expect(await kept(project, Array(depth).fill('a').join('.'), 'x')).toEqual(['flat'])
  })
})
