import { describe, expect, it } from 'vitest'
import { filterable, kept } from '../../support/data/filters.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'

describe('a filter leaves out documents', () => {
  it('whose field equals the value', async () => {
    const project = await filterable({ a: { author: 'Luke' }, b: { author: 'Mark' }, c: {} })
    expect(await kept(project, 'author', 'Luke')).toEqual(['b', 'c'])
    expect(await kept(project, 'author', 'luke')).toEqual(['a', 'b', 'c'])
    expect(await kept(project, 'author', 'Luk')).toEqual(['a', 'b', 'c'])
    expect(await kept(project, 'Author', 'Luke')).toEqual(['a', 'b', 'c'])
  })

  it('by nested fields', async () => {
    const project = await filterable({
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
      const project = await filterable({ has: metadata, other: { x: 'x' } })
      const path = key.replaceAll('\\', '\\\\').replaceAll('.', '\\.')
      expect(await kept(project, path, 'x'), key).toEqual(['other'])
    }
  })

  it('by empty keys, where dots meet', async () => {
    const project = await filterable({ a: { '': { '': 'x' } }, b: { a: { '': 'x' } } })
    expect(await kept(project, '.', 'x')).toEqual(['b'])
    expect(await kept(project, 'a.', 'x')).toEqual(['a'])
  })

  it('where any element of an array equals the value', async () => {
    const project = await filterable({
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
    const project = await filterable({
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
    const project = await filterable({ a: { v: '' }, b: { v: ' ' }, c: { v: null }, d: {} })
    expect(await kept(project, 'v', '')).toEqual(['b', 'c', 'd'])
  })

  it('by values with any characters', async () => {
    for (const value of ["it's", '"', '\\', '%', 'a b+c&d=e', '😀', '{}', '[]', "'; --", '$1']) {
      const project = await filterable({ a: { v: value }, b: { v: 'other' } })
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
    const project = await filterable({ a: { v: null }, b: { v: { x: 1 } }, c: { v: {} } })
    for (const value of ['null', '', '{"x":1}', '{"x": 1}', '{}']) {
      expect(await kept(project, 'v', value), value).toEqual(['a', 'b', 'c'])
    }
  })

  it('where a path with a number meets an array', async () => {
    const project = await filterable({ a: { v: ['x'] }, b: { v: { 0: 'x' } } })
    expect(await kept(project, 'v.0', 'x')).toEqual(['a'])
    expect(await kept(project, 'v.-1', 'x')).toEqual(['a', 'b'])
  })

  it('where the path goes on below a scalar or an array of objects', async () => {
    const project = await filterable({ a: { v: 'x' }, b: { v: [{ w: 'x' }] } })
    expect(await kept(project, 'v.w', 'x')).toEqual(['a', 'b'])
    expect(await kept(project, 'v.length', '1')).toEqual(['a', 'b'])
  })
})
