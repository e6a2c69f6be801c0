import { describe, expect, it } from 'vitest'
import { read } from '../../support/data/embeddings.ts'
import { filterable, kept } from '../../support/data/filters.ts'
import { searchBy } from '../../support/data/similars.ts'

describe('a filter', () => {
  it.each([
    ['metadata_path=v', 'metadata_path requires metadata_value to be specified'],
    ['metadata_value=x', 'metadata_value requires metadata_path to be specified'],
    ['metadata_value=', 'metadata_value requires metadata_path to be specified'],
  ])('with %s alone is refused', async (query, detail) => {
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
    ['a path of 33 segments', `metadata_path=${'a.'.repeat(32)}a&metadata_value=x`],
    ['a very long path', `metadata_path=${'a'.repeat(1_001)}&metadata_value=x`],
  ])('with %s is refused', async (_, query) => {
    const project = await filterable({})
    const path = `${project.path('similars')}/source?${query}`
    expect((await read(project, path)).status).toBe(400)
  })

  it('may walk 32 levels', async () => {
    const depth = 32
    const metadata: unknown = JSON.parse(`${'{"a":'.repeat(depth)}"x"${'}'.repeat(depth)}`)
    const project = await filterable({ deep: metadata, flat: { a: 'x' } })
    expect(await kept(project, Array(depth).fill('a').join('.'), 'x')).toEqual(['flat'])
  })
})
