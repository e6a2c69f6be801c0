import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { read, textIdsIn } from '../../support/data/embeddings.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const ids = Array.from({ length: 12 }, (_, index) => `t${String(index).padStart(2, '0')}`)

async function twelve(): Promise<Project> {
  const project = await newProject()
  const items = ids.map((textId, index) =>
    embedding(textId, [1, index, 3], { metadata: { odd: index % 2 === 1 } }),
  )
  await upload(project, ...items)
  return project
}

const remove = (project: Project, body: object, query = '') =>
  call('POST', `${project.path('embeddings')}/delete${query}`, { key: project.owner.key, body })
const countOf = async (project: Project) =>
  (await read(project, `${project.path('embeddings')}?limit=1`)).body.total_count

describe('deleting many embeddings', () => {
  it('by text_ids reports those that are not there', async () => {
    const project = await twelve()
    const text_ids = ['t03', 'none', 't01', 't01', '😀', 'none']
    const found = { matched_count: 2, not_found: ['none', '😀'] }
    expect(await remove(project, { text_ids }, '?dry_run=true')).toMatchObject({
      status: 200,
      body: { message: '2 embeddings would be deleted', deleted_count: 0, ...found },
    })
    expect(await countOf(project)).toBe(12)
    expect(await remove(project, { text_ids })).toMatchObject({
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
      const { body } = await remove(project, { text_ids: ['none', textId] })
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
    const answer = await remove(project, body)
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining(detail) } })
    expect(await countOf(project)).toBe(12)
  })
})
