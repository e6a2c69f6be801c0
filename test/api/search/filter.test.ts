import { beforeAll, describe, expect, it } from 'vitest'
import { read } from '../../support/data/embeddings.ts'
import { filterable, kept } from '../../support/data/filters.ts'
import { searchBy } from '../../support/data/similars.ts'
import type { Project } from '../../support/factories.ts'

const documents: Readonly<Record<string, unknown>> = {
  bare: null,
  luke: { author: 'Luke' },
  mark: { author: 'Mark' },
  named: { ref: { book: { name: 'Luke' } } },
  book: { ref: { book: 'Luke' } },
  dotted: { 'ref.book.name': 'Luke' },
  unnamed: { '': { '': 'x' } },
  half_named: { a: { '': 'x' } },
  tags: { tags: ['x', 'y', 1, true, null] },
  within: { tags: [['x'], { x: 'x' }, []] },
  five: { v: 5 },
  text: { v: '5' },
  less: { v: -0.25 },
  tiny: { v: 1e-7 },
  large: { v: ['x', 1e21] },
  yes: { v: true },
  word: { v: 'true' },
  empty: { v: '' },
  space: { v: ' ' },
  null: { v: null },
  object: { v: { x: 1 } },
  key: { v: { 0: 'x' } },
  deeper: { v: [{ w: 'x' }] },
}

/** What metadata_path and metadata_value leave out. */
async function excluded(project: Project, path: string, value: string, all = documents) {
  const left = await kept(project, path, value)
  return Object.keys(all)
    .filter((id) => !left.includes(id))
    .toSorted()
}

describe('a filter leaves out documents', () => {
  let project: Project
  beforeAll(async () => {
    project = await filterable(documents)
  })

  it.each<[path: string, value: string, ...ids: string[]]>([
    ['author', 'Luke', 'luke'],
    ['author', 'luke'],
    ['author', 'Luk'],
    ['Author', 'Luke'],
    ['ref.book.name', 'Luke', 'named'],
    ['ref.book', 'Luke', 'book'],
    ['ref\\.book\\.name', 'Luke', 'dotted'],
    // Where dots meet, keys are empty.
    ['.', 'x', 'unnamed'],
    ['a.', 'x', 'half_named'],
    // Of an array any element, but not what is in elements.
    ['tags', 'x', 'tags'],
    ['tags', '1', 'tags'],
    ['tags', 'true', 'tags'],
    // Numbers and booleans by their JSON text.
    ['v', '5', 'five', 'text'],
    ['v', '5.0'],
    ['v', '-0.25', 'less'],
    ['v', '1e-7', 'tiny'],
    ['v', '0.0000001', 'tiny'],
    ['v', '1e+21', 'large'],
    ['v', 'true', 'word', 'yes'],
    ['v', '', 'empty'],
    // Neither null nor objects equal anything, and scalars have no fields.
    ['v', 'null'],
    ['v', '{"x":1}'],
    ['v.w', 'x'],
    ['author.length', '4'],
    // Numbers are keys of objects, not places in arrays.
    ['v.0', 'x', 'key'],
    ['v.-1', 'x'],
  ])('whose %s is %j', async (path, value, ...ids) => {
    expect(await excluded(project, path, value)).toEqual(ids)
  })

  it('by keys with dots, backslashes, quotes and odd characters', async () => {
    const keys = ['a.b', 'a\\b', 'a"b', "a'b", '$1', '%', ' ', '😀', '__proto__', 'constructor']
    const all = Object.fromEntries(
      keys.map((key, at): [string, unknown] => [
        `${at}`,
        JSON.parse(`{${JSON.stringify(key)}:"x"}`),
      ]),
    )
    const odd = await filterable(all)
    for (const [at, key] of keys.entries()) {
      const path = key.replaceAll('\\', '\\\\').replaceAll('.', '\\.')
      expect(await excluded(odd, path, 'x', all), key).toEqual([`${at}`])
    }
    // The last backslash of a path escapes nothing.
    const last = { backslash: { 'a\\': 'x' } }
    expect(await excluded(await filterable(last), 'a\\', 'x', last)).toEqual(['backslash'])
  })
})

describe('a filter', () => {
  it.each([
    ['metadata_path=v', 'metadata_path requires metadata_value to be specified'],
    ['metadata_value=x', 'metadata_value requires metadata_path to be specified'],
    ['metadata_value=', 'metadata_value requires metadata_path to be specified'],
  ])('is refused with %s alone', async (query, detail) => {
    const project = await filterable({})
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
    ['a very long path', `metadata_path=${'a'.repeat(1_001)}&metadata_value=x`],
  ])('is refused with %s', async (_, query) => {
    const project = await filterable({})
    const path = `${project.path('similars')}/source?${query}`
    expect((await read(project, path)).status).toBe(400)
  })
})
