import { describe, expect, it } from 'vitest'
import { read } from '../../support/data/embeddings.ts'
import { filterable, kept } from '../../support/data/filters.ts'
import { idsOf, searchBy } from '../../support/data/similars.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'

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
