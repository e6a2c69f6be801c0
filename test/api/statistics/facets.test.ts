import { beforeAll, describe, expect, it } from 'vitest'
import { read } from '../../support/data/embeddings.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const long = 'x'.repeat(201)

const metadata = [
  { ref: { book: 'Mark', verse: 2 }, tags: ['a', 'b', 'a'], a: null },
  { ref: { book: 'Mark', verse: 10 }, tags: ['b', ['c'], { d: 1 }], a: { b: 1 } },
  { ref: { book: 'Luke', verse: 10 }, tags: 'b', a: [] },
  { ref: { book: long }, tags: [1, '1', true, 1], text_id: 'odd' },
  null,
]

let project: Project

function facets(query: Readonly<Record<string, string | readonly string[]>>) {
  const given = new URLSearchParams()
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) given.append(name, value)
  }
  return read(project, `${project.path()}/fields?${given}`)
}

describe('the values of a field', () => {
  beforeAll(async () => {
    project = await newProject()
    const items = metadata.map((each, at) => embedding(`t${at}`, [1, 2, 3], { metadata: each }))
    await upload(project, ...items)
  })

  it('are counted in all embeddings, the most frequent first', async () => {
    const { status, body } = await facets({ field: 'ref.book' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ total_count: 5, documents: 5, sampled: false, more_fields: false })
    expect(body.fields).toEqual([
      {
        path: 'ref.book',
        documents: 4,
        missing: 1,
        share: 0.8,
        types: { string: 4 },
        values: [
          { value: 'Mark', count: 2 },
          { value: 'Luke', count: 1 },
        ],
        more_values: true,
      },
    ])
  })

  it('are counted in what a filter keeps, for several fields in their order', async () => {
    const filter = JSON.stringify({ 'ref.verse': { $gte: 10 } })
    const { body } = await facets({ field: ['tags', 'ref.book', 'none'], filter })
    expect(body).toMatchObject({ total_count: 5, documents: 2 })
    const [tags, book, none] = body.fields
    expect(tags.values).toEqual([{ value: 'b', count: 2 }])
    expect(tags.types).toEqual({ array: 1, string: 1 })
    expect(book.values).toEqual([
      { value: 'Luke', count: 1 },
      { value: 'Mark', count: 1 },
    ])
    expect(none).toMatchObject({ documents: 0, missing: 2, share: 0, types: {}, values: [] })
  })

  it('are those of arrays, once for each embedding, with their types', async () => {
    const { body } = await facets({ field: ['tags', 'a', '\\text_id'] })
    const [tags, a, named] = body.fields
    expect(tags.values).toEqual([
      { value: 'b', count: 3 },
      { value: '1', count: 1 },
      { value: 'a', count: 1 },
      { value: 1, count: 1 },
      { value: true, count: 1 },
    ])
    expect(tags).toMatchObject({ documents: 4, missing: 1, more_values: false })
    expect(a).toMatchObject({ types: { null: 1, object: 1, array: 1 }, values: [], missing: 2 })
    expect(named).toMatchObject({ path: '\\text_id', values: [{ value: 'odd', count: 1 }] })
  })

  it('are numbers of any size', async () => {
    const sizes = await newProject()
    await upload(sizes, embedding('t', [1, 2, 3], { metadata: { n: 1e300, of: [1e-300] } }))
    const { body } = await read(sizes, `${sizes.path()}/fields?field=n&field=of`)
    expect(body.fields).toMatchObject([
      { values: [{ value: 1e300, count: 1 }], more_values: false },
      { values: [{ value: 1e-300, count: 1 }], more_values: false },
    ])
  })

  it('are none where a filter keeps nothing', async () => {
    const { body } = await facets({ field: 'tags', filter: '{"ref.book":"John"}' })
    expect(body).toMatchObject({ documents: 0, fields: [{ documents: 0, missing: 0, values: [] }] })
  })

  it.each([
    [{ filter: '{}' }, 'filter requires field to be specified'],
    [{ field: '' }, 'field must not be empty'],
    [{ field: 'a.'.repeat(32) }, 'field must have at most 32 segments'],
    [{ field: [...'abcdefghi'] }, 'field must be given at most 8 times'],
  ])('are refused for %j', async (query, detail) => {
    expect(await facets(query)).toMatchObject({ status: 400, body: { detail } })
  })

  it('are at most 1,000, and counted anew after an upload', async () => {
    project = await newProject()
    const one = (at: number) => embedding(`t${at}`, [1, 2, 3], { metadata: { n: at % 1_002 } })
    await upload(project, ...Array.from({ length: 1_000 }, (_, at) => one(at)))
    const [before] = (await facets({ field: 'n' })).body.fields
    expect(before.values).toHaveLength(1_000)
    expect(before.more_values).toBe(false)
    await upload(project, ...Array.from({ length: 4 }, (_, at) => one(1_000 + at)))
    const [after] = (await facets({ field: 'n' })).body.fields
    expect(after.more_values).toBe(true)
    expect(after.values).toHaveLength(1_000)
    expect(after.values[0]).toEqual({ value: 0, count: 2 })
  })
})
