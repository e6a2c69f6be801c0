import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { newProjectOf, queryFor, read, textIdsIn } from '../../support/data/embeddings.ts'
import { refusal } from '../../support/data/refusals.ts'
import { embedding, newProject, newSharee, type Project, upload } from '../../support/factories.ts'

const remove = (project: Project, rest = '', { key } = project.owner) =>
  call('DELETE', project.path('embeddings') + rest, { key })

it.each(['/b', '?text_id=b'])('deleting one embedding by %s leaves the others', async (rest) => {
  const project = await newProjectOf('a', 'b', 'c')
  const answer = await remove(project, rest)
  expect(answer).toMatchObject({ status: 200, body: { message: "Embedding 'b' deleted" } })
  expect(await textIdsIn(project)).toEqual(['a', 'c'])
})

describe('deleting all embeddings', () => {
  it('answers how many there were, can be tried before, and keeps the project', async () => {
    const project = await newProjectOf('a', 'b', 'c')
    const dry = '?dry_run=true'
    const message = '3 embeddings would be deleted'
    const tried = await remove(project, dry)
    expect([tried.status, tried.body]).toEqual([
      200,
      { message, matched_count: 3, deleted_count: 0 },
    ])
    const editor = await newSharee(project, 'editor')
    expect((await remove(project, dry, editor)).status).toBe(403)
    expect((await remove(project, `${dry}&text_id=b`, editor)).body).toEqual({
      ...{ message: "Embedding 'b' would be deleted", matched_count: 1, deleted_count: 0 },
    })
    expect((await remove(project, `${dry}&text_id=none`)).status).toBe(404)
    // Where it is not known it must not pass for nothing.
    expect((await remove(project, `/b${dry}`)).status).toBe(400)
    expect(await textIdsIn(project)).toHaveLength(3)
    const gone = { message: '3 embeddings deleted', matched_count: 3, deleted_count: 3 }
    expect(await remove(project)).toMatchObject({ status: 200, body: gone })
    expect(await textIdsIn(project)).toEqual([])
    expect((await remove(project)).body.deleted_count).toBe(0)
    await upload(project, embedding('a', [1, 2, 3]))
  })

  it.each([
    ...['?textid=a', '?text_ID=a', '?limit=1', '?metadata_path=x', '?text_id=a&limit=1'],
    ...['?text_id=a&text_id=b', '?text_id=', '?text_id', '?text_id[]=a', '?text_id%00=a'],
    ...['?__proto__=a', '?constructor=a'],
  ])('does not happen with %s', async (query) => {
    const project = await newProjectOf('a', 'b')
    expect((await remove(project, query)).status).toBe(400)
    const editor = await newSharee(project, 'editor')
    expect([400, 403]).toContain((await remove(project, query, editor)).status)
    expect(await textIdsIn(project)).toEqual(['a', 'b'])
  })

  it('does not happen for a text_id that URLs resolve away', async () => {
    const project = await newProjectOf('a', 'b')
    for (const textId of ['.', '..', '']) {
      expect((await remove(project, `/${textId}`)).status).toBe(404)
    }
    expect((await call('DELETE', queryFor(project, '..'), project.owner)).status).toBe(404)
    expect(await textIdsIn(project)).toEqual(['a', 'b'])
  })
})

const ids = Array.from({ length: 12 }, (_, index) => `t${String(index).padStart(2, '0')}`)

async function twelve(): Promise<Project> {
  const project = await newProject()
  const items = ids.map((textId, index) =>
    embedding(textId, [1, index, 3], { metadata: { odd: index % 2 === 1 } }),
  )
  await upload(project, ...items)
  return project
}

const removeMany = (project: Project, body: object, query = '') =>
  call('POST', `${project.path('embeddings')}/delete${query}`, { key: project.owner.key, body })
const countOf = async (project: Project) =>
  (await read(project, `${project.path('embeddings')}?limit=1`)).body.total_count

describe('deleting many embeddings', () => {
  it('by text_ids reports those that are not there', async () => {
    const project = await twelve()
    const text_ids = ['t03', 'none', 't01', 't01', '😀', 'none']
    const found = { matched_count: 2, not_found: ['none', '😀'] }
    expect(await removeMany(project, { text_ids }, '?dry_run=true')).toMatchObject({
      status: 200,
      body: { message: '2 embeddings would be deleted', deleted_count: 0, ...found },
    })
    expect(await countOf(project)).toBe(12)
    expect(await removeMany(project, { text_ids })).toMatchObject({
      status: 200,
      body: { message: '2 embeddings deleted', deleted_count: 2, ...found },
    })
    expect(await textIdsIn(project)).toEqual(ids.filter((id) => !['t01', 't03'].includes(id)))
    expect(await countOf(project)).toBe(10)
  })

  it.each([...['a"b', 'back\\slash\\', '{a,b}', 'NULL', ' ', 'new\nline', "it's", '%_']])(
    'takes the text_id %j',
    async (textId) => {
      const project = await newProject()
      await upload(project, embedding(textId, [1, 2, 3]), embedding('other', [1, 2, 3]))
      const { body } = await removeMany(project, { text_ids: ['none', textId] })
      expect(body).toMatchObject({ deleted_count: 1, not_found: ['none'] })
      expect(await textIdsIn(project)).toEqual(['other'])
    },
  )

  it.each([
    [{}, 'text_ids or filter must be given, and only one of them'],
    [{ text_ids: [], filter: { a: 1 } }, 'text_ids or filter must be given, and only one of them'],
    [{ filters: { a: 1 } }, "Unknown field 'filters': did you mean filter?"],
    [{ text_ids: Array(10_001).fill('a') }, 'text_ids: must have at most 10000 text_ids'],
    [{ text_ids: ['a', ''] }, 'text_ids[1]: must not be empty'],
    [{ filter: { $and: [{}, {}] } }, 'holds for every embedding'],
    [{ filter: { odd: { $in: 1 } } }, 'filter'],
  ])('refuses %j', async (body, detail) => {
    const project = await twelve()
    const answer = await removeMany(project, body)
    expect(answer).toMatchObject(refusal(400, detail))
    expect(await countOf(project)).toBe(12)
  })
})
