import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { pathTo, read } from '../../support/data/embeddings.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

interface Shown {
  readonly id: string
}
const idsOf = (list: readonly Shown[]) => list.map(({ id }) => id)

const get = (project: Project, textId: string, query = '') =>
  read(project, `${pathTo(project, textId)}/around${query}`)

/** What stands around a text: the text_ids before and after it. */
async function around(project: Project, textId: string, query = '') {
  const { status, body } = await get(project, textId, query)
  expect(status).toBe(200)
  expect(body.text_id).toBe(textId)
  return [idsOf(body.before), idsOf(body.after)]
}

const projectOf = async (items: readonly object[], fields: object = {}) => {
  const project = await newProject(fields)
  await upload(project, ...items)
  return project
}

const named = (...textIds: string[]) =>
  textIds.map((textId) => embedding(textId, [1, 2, 3], { text: `text of ${textId}` }))

describe('around a text, by the last number of the text_id', () => {
  let project: Project
  beforeAll(async () => {
    const verses = Array.from({ length: 13 }, (_, at) => `v${at + 1}`)
    project = await projectOf([
      ...named(...verses, 'v60', 'w2', 'intro', 'x/around', 'around', '1/around', '2/around'),
      ...named('f-098.mp3', 'f-099.mp3', 'f-100.mp3', 'f-101.mp4', 'n9', 'n10', 'n07', 'n08'),
      ...named('1.v9', '1.v10', '2.v9', 'a1b2', 'a2b2', '%31', 'q%41 2', 'q%41 3'),
      ...named(`l${'9'.repeat(16)}`, `l${'8'.repeat(16)}`),
    ])
  })

  it.each([
    ['v2', '', ['v1'], ['v3', 'v4']],
    ['v9', '', ['v7', 'v8'], ['v10', 'v11']],
    ['v10', '?before=3&after=0', ['v7', 'v8', 'v9'], []],
    ['v8', '?after=5', ['v6', 'v7'], ['v9', 'v10', 'v11', 'v12', 'v13']],
    ['v60', '?before=1', ['v13'], []],
    ['f-099.mp3', '', ['f-098.mp3'], ['f-100.mp3']],
    ['f-100.mp3', '', ['f-098.mp3', 'f-099.mp3'], []],
    ['n10', '?before=3', ['n07', 'n08', 'n9'], []],
    ['a1b2', '', [], []],
    ['1.v9', '', [], ['1.v10']],
    ['intro', '', [], []],
    ['%31', '', [], []],
    ['q%41 2', '', [], ['q%41 3']],
    [`l${'9'.repeat(16)}`, '', [], []],
    ['1/around', '', [], ['2/around']],
  ])('%s%s has %j before and %j after it', async (textId, query, before, after) => {
    expect(await around(project, textId, query)).toEqual([before, after])
  })

  it('has texts and metadata, or what include names', async () => {
    const { body } = await get(project, 'v1', '?after=1')
    expect(body).toEqual({ text_id: 'v1', before: [], after: [{ id: 'v2', text: 'text of v2' }] })
    const bare = await get(project, 'v1', '?after=1&include=')
    expect(bare.body.after).toEqual([{ id: 'v2' }])
  })

  it('leaves the embedding readable whose text_id ends in /around', async () => {
    for (const textId of ['x/around', 'around', '1/around']) {
      const { status, body } = await read(project, pathTo(project, textId))
      expect({ status, textId: body.text_id }).toEqual({ status: 200, textId })
    }
    // Where somebody has decoded the slash, this is about another text.
    const decoded = await read(project, `${project.path('embeddings')}/v1/around`)
    expect(decoded.body).toMatchObject({ text_id: 'v1', before: [] })
    expect((await get(project, 'x')).status).toBe(404)
  })

  it.each([
    ['?after=-1', 'after must be between 0 and 20'],
    ['?include=vector', "include has no 'vector'; known are text and metadata"],
  ])('refuses %s', async (query, detail) => {
    expect(await get(project, 'v1', query)).toMatchObject({ status: 400, body: { detail } })
  })

  it('is found for each result of a search, also in a batch', async () => {
    const { key } = project.owner
    const search = { vector: [1, 2, 3], filter: { text_id: { $in: ['v9', 'w2'] } } }
    const body = { ...search, include: ['around'] }
    const found = await call('POST', project.path('similars'), { key, body })
    expect(found.body.results).toEqual([
      {
        id: 'v9',
        similarity: 1,
        around: {
          before: [{ id: 'v8', text: 'text of v8' }],
          after: [{ id: 'v10', text: 'text of v10' }],
        },
      },
      { id: 'w2', similarity: 1, around: { before: [], after: [] } },
    ])
    const batch = { searches: [body, { ...search, include: ['text'] }] }
    const answers = await call('POST', `${project.path('similars')}/batch`, { key, body: batch })
    expect(answers.body.answers[0].results).toEqual(found.body.results)
    expect(answers.body.answers[1].results[0]).toEqual({
      ...{ id: 'v9', similarity: 1, text: 'text of v9' },
    })
    const path = `${project.path('similars')}?text_id=v9&include=around&include_self=true&limit=200`
    const { results } = (await read(project, path)).body
    expect(results.find(({ id }: Shown) => id === 'v9').around.after).toHaveLength(1)
  })
})

const placed = (textId: string, metadata: object | null) =>
  embedding(textId, [1, 2, 3], { metadata, text: textId })

describe('around a text, in the reading order of the project', () => {
  const reading_order = ['book', 'verse']
  let project: Project
  beforeAll(async () => {
    const verses = Array.from({ length: 12 }, (_, at) =>
      placed(`z${12 - at}`, { book: 'Mark', verse: at + 1 }),
    )
    project = await projectOf(
      [
        ...verses,
        placed('other', { book: 'Luke', verse: 3 }),
        placed('tie-b', { book: 'Luke', verse: 7 }),
        placed('tie-a', { book: 'Luke', verse: 7.0 }),
        placed('half', { book: 'Luke', verse: 6.5 }),
        placed('word-2', { book: 'Luke', verse: 'ä' }),
        placed('word-1', { book: 'Luke', verse: 'Z' }),
        placed('several', { book: ['Luke', 'Mark'], verse: 5 }),
        placed('none', { book: 'Mark' }),
        placed('null', { book: null, verse: 2 }),
        placed('bare', null),
        placed('true', { book: 'Mark', verse: true }),
      ],
      { reading_order },
    )
  })

  it.each([
    // Verse 10 comes after verse 9, whatever their text_ids are.
    ['z4', '', ['z6', 'z5'], ['z3', 'z2']],
    ['z12', '?after=1', [], ['z11']],
    ['half', '', ['other'], ['tie-a', 'tie-b']],
    ['tie-b', '?before=20', ['other', 'half', 'tie-a'], []],
    ['word-1', '', [], ['word-2']],
    ['several', '', [], []],
    ['none', '', [], []],
    ['null', '', [], []],
    ['bare', '', [], []],
    ['true', '', [], []],
  ])('%s%s has %j before and %j after it', async (textId, query, before, after) => {
    expect(await around(project, textId, query)).toEqual([before, after])
  })

  it('is found for each result of a search', async () => {
    const filter = encodeURIComponent('{"verse":{"$gte":6.5}}')
    const query = `text_id=none&threshold=0&limit=50&include=metadata,around&filter=${filter}`
    const { body } = await read(project, `${project.path('similars')}?${query}`)
    const found = new Map(
      body.results.map(
        ({ id, around: { before, after } }: Shown & { around: Record<string, Shown[]> }) => [
          id,
          [idsOf(before ?? []), idsOf(after ?? [])],
        ],
      ),
    )
    expect(found.get('z1')).toEqual([['z2'], []])
    expect(found.get('z6')).toEqual([['z7'], ['z5']])
    expect(found.get('tie-b')).toEqual([['tie-a'], []])
    expect(body.results[0].around.before[0]).toHaveProperty('metadata')
  })

  it('may be by one field, changes by PATCH, and ends with null', async () => {
    const { key } = project.owner
    const patch = (body: object) => call('PATCH', project.path(), { key, body })
    expect((await read(project, project.path())).body.reading_order).toEqual(reading_order)
    const { body } = await patch({ reading_order: ['verse'] })
    expect(body.reading_order).toEqual(['verse'])
    expect(await around(project, 'other', '?before=1&after=1')).toEqual([['z11'], ['z10']])
    expect((await patch({ description: 'kept' })).body.reading_order).toEqual(['verse'])
    const without = await patch({ reading_order: null })
    expect(without.body).not.toHaveProperty('reading_order')
    expect(await around(project, 'z9', '?before=1&after=1')).toEqual([['z8'], ['z10']])
    expect(await patch({ reading_order: [''] })).toMatchObject({
      ...{ status: 400, body: { detail: 'reading_order[0]: must not be empty' } },
    })
  })
})
