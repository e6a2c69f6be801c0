import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { read, send, textIdsIn } from '../../support/data/embeddings.ts'
import { add, structured } from '../../support/data/indexed.ts'
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

  it.each([
    ...['a"b', 'back\\slash\\', '{a,b}', 'NULL', ' ', 'new\nline', "it's", '%_'],
  ])('takes the text_id %j', async (textId) => {
    const project = await newProject()
    await upload(project, embedding(textId, [1, 2, 3]), embedding('other', [1, 2, 3]))
    const { body } = await remove(project, { text_ids: ['none', textId] })
    expect(body).toMatchObject({ deleted_count: 1, not_found: ['none'] })
    expect(await textIdsIn(project)).toEqual(['other'])
  })

  it('by a filter deletes all that satisfy it', async () => {
    const project = await twelve()
    const filter = { odd: true, text_id: { $lt: 't09' } }
    expect(await remove(project, { filter }, '?dry_run=true')).toMatchObject({
      body: { message: '4 embeddings would be deleted', matched_count: 4, deleted_count: 0 },
    })
    const { body } = await remove(project, { filter })
    expect(body).toEqual({ message: '4 embeddings deleted', matched_count: 4, deleted_count: 4 })
    expect(await textIdsIn(project)).toEqual(
      ids.filter((id, index) => index % 2 === 0 || id >= 't09'),
    )
    expect((await remove(project, { filter })).body.deleted_count).toBe(0)
  })

  it('leaves them out of searches at once', async () => {
    const project = await newProject({}, { dimensions: 24 })
    await add(project, structured(5_000, 24))
    const search = async (textId: string) => {
      const path = `${project.path('similars')}/${encodeURIComponent(textId)}?limit=200&threshold=0`
      return (await read(project, path)).body.results.map(({ id }: { id: string }) => id)
    }
    await search('A1')
    const filter = { 'ref.book': { $in: ['book 1', 'book 2'] } }
    const { deleted_count } = (await remove(project, { filter })).body
    expect(deleted_count).toBe(1_429)
    expect(await countOf(project)).toBe(5_000 - deleted_count)
    const kept = structured(5_000, 24).filter(
      ({ metadata }) => !/"book [12]"/.test(JSON.stringify(metadata)),
    )
    const there = new Set(kept.map(({ text_id }) => text_id))
    const found = await search(kept[0]?.text_id ?? '')
    expect(found).toHaveLength(200)
    expect(found.filter((id: string) => !there.has(id))).toEqual([])
    expect((await remove(project, { filter: { text_id: { $gte: '' } } })).body.deleted_count).toBe(
      kept.length,
    )
    expect(await countOf(project)).toBe(0)
    await add(project, structured(20, 24))
    expect(await search('A1')).toHaveLength(19)
  })

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

  it('counts exactly, without deadlocks, beside uploads, other deletions and emptying', async () => {
    const project = await twelve()
    const many = (prefix: string) =>
      Array.from({ length: 300 }, (_, index) => embedding(`${prefix}${index}`, [1, 2, 3]))
    await send(project, ...many('x'))
    const half = (from: number) =>
      many('x')
        .map(({ text_id }) => text_id)
        .filter((_, index) => index % 3 !== from)
    const works = [
      () => remove(project, { text_ids: half(0) }),
      () => remove(project, { text_ids: half(1).toReversed() }),
      () => remove(project, { filter: { text_id: { $prefix: 'x' } } }),
      () => send(project, ...many('y')),
      () => remove(project, { filter: { text_id: { $prefix: 'y' } } }),
      () => call('DELETE', `${project.path('embeddings')}/t05`, { key: project.owner.key }),
      () => call('DELETE', project.path('embeddings'), { key: project.owner.key }),
      () => send(project, ...many('x')),
    ]
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(works.map((work) => work()))
      for (const { status } of answers) expect([200, 201, 404, 409]).toContain(status)
      const { body } = await read(project, `${project.path('embeddings')}?limit=1&filter=%7B%7D`)
      expect(await countOf(project)).toBe(body.total_count)
    }
  })
})
