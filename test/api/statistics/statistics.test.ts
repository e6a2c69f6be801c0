import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { call } from '../../support/client.ts'
import { read } from '../../support/data/embeddings.ts'
import { add } from '../../support/data/indexed.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const get = (project: Project, what: string) => read(project, `${project.path()}/${what}`)

/** Values with how often they occur. */
const counts = (...pairs: [value: unknown, count: number][]) =>
  pairs.map(([value, count]) => ({ value, count }))

async function projectWith(...metadata: (object | null)[]): Promise<Project> {
  const project = await newProject()
  await upload(
    project,
    ...metadata.map((each, index) =>
      embedding(`t${index}`, [1, 2, 3], { metadata: each, text: 'texts' }),
    ),
  )
  return project
}

describe('the statistics', () => {
  it('tell number, dimensions, bytes and times', async () => {
    const project = await projectWith({ a: 1 }, null)
    const first = (await read(project, `${project.path('embeddings')}/t0`)).body.created_at
    await upload(project, embedding('later', [1, 2, 3], { text: 'ä' }))
    const { status, body } = await get(project, 'statistics')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        user_handle: project.owner.handle,
        project_handle: 'texts',
        total_count: 3,
        dimensions: 3,
        bytes: { vectors: 60, texts: 12 },
        first_upload: first,
        sampled: false,
      },
    })
    const { vectors, texts, metadata, total } = body.bytes
    expect(metadata).toBeGreaterThan(4)
    expect(total).toBe(vectors + texts + metadata)
    expect(Date.parse(body.last_upload)).toBeGreaterThan(Date.parse(first))
    expect(body).not.toHaveProperty('index')
  })

  it('say of an empty project only what is known of it', async () => {
    const project = await projectWith({ a: 1 })
    await call('DELETE', `${project.path('embeddings')}/t0`, { key: project.owner.key })
    expect((await get(project, 'statistics')).body).toEqual({
      user_handle: project.owner.handle,
      project_handle: 'texts',
      total_count: 0,
      dimensions: 3,
      bytes: { vectors: 0, texts: 0, metadata: 0, total: 0 },
      no_scale: 'The project has fewer than 100 texts',
      sampled: false,
    })
    expect((await get(project, 'fields')).body).toMatchObject({ documents: 0, fields: [] })
  })
})

describe('the fields', () => {
  it('have types, shares and the most frequent values', async () => {
    const project = await projectWith(
      { ref: { book: 'Mark' }, tags: ['x', 'x', 1], year: 1611 },
      { ref: { book: 'Luke' }, tags: [], year: '1611' },
      { ref: { book: 'Luke' }, tags: 'x', year: null },
      null,
    )
    const { body } = await get(project, 'fields')
    const field = (path: string, rest: object) => ({
      path,
      documents: 3,
      missing: 1,
      share: 0.75,
      more_values: false,
      ...rest,
    })
    expect(body).toEqual({
      user_handle: project.owner.handle,
      project_handle: 'texts',
      total_count: 4,
      documents: 4,
      sampled: false,
      more_fields: false,
      fields: [
        field('ref', { types: { object: 3 }, values: [] }),
        field('ref.book', {
          types: { string: 3 },
          values: counts(['Luke', 2], ['Mark', 1]),
        }),
        field('tags', {
          types: { array: 2, string: 1 },
          values: counts(['x', 2], [1, 1]),
        }),
        field('year', {
          types: { number: 1, string: 1, null: 1 },
          values: counts([1611, 1], ['1611', 1]),
        }),
      ],
    })
  })

  it('are counted again only after a change', async () => {
    const project = await projectWith({ a: 1 }, { a: 2 })
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const counted = () => parse.mock.calls.filter(([text]) => /^\{"a": ?\d\}$/.test(text)).length
    const ask = () => get(project, 'fields')
    const first = await Promise.all([ask(), ask(), ask()])
    expect(counted()).toBe(2)
    expect(await ask()).toMatchObject({ status: 200, body: first[2].body })
    expect(counted()).toBe(2)
    await upload(project, embedding('more', [1, 2, 3], { metadata: { a: 3 }, text: 'more texts' }))
    expect((await ask()).body.fields).toMatchObject([{ path: 'a', documents: 3 }])
    expect((await get(project, 'statistics')).body.bytes.texts).toBe(20)
    await call('POST', `${project.path('embeddings')}?on_conflict=replace`, {
      key: project.owner.key,
      body: { embeddings: [embedding('more', [1, 2, 3], { metadata: { a: 'text' } })] },
    })
    expect((await ask()).body.fields[0].types).toEqual({ number: 2, string: 1 })
  })

  it('are named as filters name them', async () => {
    const metadata = { 'a.b': 1, 'c\\': 1, text_id: 1, $gt: 1, 'ü x': { '': 1 }, __proto__x: 1 }
    const project = await projectWith(metadata, null)
    const { fields } = (await get(project, 'fields')).body
    expect(fields).toHaveLength(7)
    for (const { path } of fields) {
      const filter = encodeURIComponent(JSON.stringify({ [path]: { $exists: true } }))
      expect((await get(project, `count?filter=${filter}`)).body, path).toEqual({ count: 1 })
    }
  })

  it('are bounded in number, values and length', async () => {
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`f${index}`, index]))
    const project = await projectWith(
      many,
      ...Array.from({ length: 30 }, (_, index) => ({ a: index, long: 'x'.repeat(201) })),
    )
    const { fields, more_fields } = (await get(project, 'fields')).body
    expect(fields).toHaveLength(200)
    expect(more_fields).toBe(true)
    expect(fields[0]).toMatchObject({ path: 'a', documents: 30, more_values: true })
    expect(fields[0].values).toHaveLength(20)
    expect(fields[1]).toMatchObject({ path: 'long', values: [], more_values: true })
  })

  it('have their own names at every level, however deep', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => `k${index}`)
    const deep = keys.reduceRight<object>((inner, key) => ({ [key]: inner, 'x.y': 1 }), {})
    const project = await projectWith(deep, deep, { a: { b: 1 }, b: { a: 1 }, 'a.b': 1 })
    const { fields, more_fields } = (await get(project, 'fields')).body
    expect(more_fields).toBe(true)
    const named = new Map(fields.map((field: { path: string }) => [field.path, field]))
    const names = (depth: number) => keys.slice(0, depth).join('.')
    for (const depth of [1, 2, 31, 32]) {
      expect(named.get(names(depth))).toMatchObject({ documents: 2, types: { object: 2 } })
    }
    expect(named.has(names(33))).toBe(false)
    expect(named.get(`${names(31)}.x\\.y`)).toMatchObject({ documents: 2, types: { number: 2 } })
    for (const path of ['a', 'b', 'a.b', 'b.a', 'a\\.b']) {
      expect(named.get(path)).toMatchObject({ path, documents: 1 })
    }
  })

  it('are told from so many documents as hold two million keys and elements', async () => {
    const project = await newProject()
    const long = Array.from({ length: 125_000 }, () => 1)
    const items = Array.from({ length: 20 }, (_, index) => ({
      ...{ text_id: `t${index}`, vector: [1, 2, 3], metadata: { long } },
    }))
    for (let at = 0; at < items.length; at += 10) await add(project, items.slice(at, at + 10))
    const [one, other] = await Promise.all([get(project, 'fields'), get(project, 'fields')])
    expect(one.body).toMatchObject({ total_count: 20, documents: 16, sampled: true })
    expect(one.body.fields).toMatchObject([{ path: 'long', documents: 16, share: 1 }])
    expect(other).toMatchObject({ status: 200, body: one.body })
  })

  it('are told from a sample, spread over the text_ids, of a large project', async () => {
    const project = await newProject()
    const half = (index: number) => (index < 6_000 ? 'first' : 'second')
    await add(
      project,
      Array.from({ length: 12_000 }, (_, index) => ({
        text_id: `t${String(index).padStart(5, '0')}`,
        vector: [1, 2, 3],
        metadata: { half: half(index), third: index % 3 },
      })),
    )
    const { body } = await get(project, 'fields')
    expect(body).toMatchObject({ total_count: 12_000, documents: 10_000, sampled: true })
    const [first] = body.fields
    expect(first).toMatchObject({ path: 'half', documents: 10_000, share: 1 })
    expect(first.values.map(({ count }: { count: number }) => count)).toEqual([5_000, 5_000])
  })
})

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
        values: counts(['Mark', 2], ['Luke', 1]),
        more_values: true,
      },
    ])
  })

  it('are counted in what a filter keeps, for several fields in their order', async () => {
    const filter = JSON.stringify({ 'ref.verse': { $gte: 10 } })
    const { body } = await facets({ field: ['tags', 'ref.book', 'none'], filter })
    expect(body).toMatchObject({ total_count: 5, documents: 2 })
    const [tags, book, none] = body.fields
    expect(tags.values).toEqual(counts(['b', 2]))
    expect(tags.types).toEqual({ array: 1, string: 1 })
    expect(book.values).toEqual(counts(['Luke', 1], ['Mark', 1]))
    expect(none).toMatchObject({ documents: 0, missing: 2, share: 0, types: {}, values: [] })
  })

  it('are those of arrays, once for each embedding, with their types', async () => {
    const { body } = await facets({ field: ['tags', 'a', '\\text_id'] })
    const [tags, a, named] = body.fields
    expect(tags.values).toEqual(counts(['b', 3], ['1', 1], ['a', 1], [1, 1], [true, 1]))
    expect(tags).toMatchObject({ documents: 4, missing: 1, more_values: false })
    expect(a).toMatchObject({ types: { null: 1, object: 1, array: 1 }, values: [], missing: 2 })
    expect(named).toMatchObject({ path: '\\text_id', values: counts(['odd', 1]) })
  })

  it('are numbers of any size', async () => {
    const sizes = await newProject()
    await upload(sizes, embedding('t', [1, 2, 3], { metadata: { n: 1e300, of: [1e-300] } }))
    const { body } = await read(sizes, `${sizes.path()}/fields?field=n&field=of`)
    expect(body.fields).toMatchObject([
      { values: counts([1e300, 1]), more_values: false },
      { values: counts([1e-300, 1]), more_values: false },
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
