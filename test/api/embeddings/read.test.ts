import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { readPage } from '../../../src/embeddings/list.ts'
import { testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { queryFor, read } from '../../support/data/embeddings.ts'
import { collectionOf } from '../../support/data/indexed.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const list = (project: Project, query = '') =>
  read(project, `${project.path('embeddings')}?${query}`)
const textIds = (body: { embeddings: { text_id: string }[] }) =>
  body.embeddings.map(({ text_id }) => text_id)

describe('the list of embeddings', () => {
  it('is 200 when there are none', async () => {
    const project = await newProject()
    const body = { embeddings: [], total_count: 0, limit: 10, offset: 0 }
    expect(await list(project)).toMatchObject({ status: 200, body })
  })

  it('holds all fields but project_id, with the time of the upload', async () => {
    const project = await newProject()
    const item = embedding('a', [1, 2, 3], { text: 'A', metadata: { n: 1 } })
    const before = Date.now()
    await upload(project, item)
    const { body } = await list(project)
    const { created_at, ...fields } = body.embeddings[0]
    expect(fields).toEqual({ ...item, user_handle: project.owner.handle, project_handle: 'texts' })
    expect(new Date(created_at).toISOString()).toBe(created_at)
    expect(Math.abs(Date.parse(created_at) - before)).toBeLessThan(60_000)
  })

  it('is ordered by the bytes of the text_id', async () => {
    const project = await newProject()
    const ordered = ['', '!', '10', '9', 'A', 'Z', '_', 'a', 'aa', 'z', 'É', 'é', 'ﬁ', '😀']
    const ids = ordered.slice(1)
    await upload(project, ...ids.toReversed().map((textId) => embedding(textId, [1, 2, 3])))
    expect(textIds((await list(project, 'limit=200')).body)).toEqual(ids)
  })

  it('is whole, and read a bounded part at a time, when its texts are large', async () => {
    const project = await newProject()
    const ids = Array.from({ length: 9 }, (_, index) => `t${index}`)
    await upload(project, ...ids.map((textId) => embedding(textId, [1, 2, 3], { text: textId })))
    const collectionId = await collectionOf(project)
    const { database } = await testApp()
    // From before texts were bounded.
    await database.short.db.execute(
      sql`update embeddings set text = repeat(text_id, 1500000) where collection_id = ${collectionId}
        and text_id in ('t1', 't2', 't3', 't4', 't5', 't7')`,
    )
    const { body } = await list(project, 'limit=8&offset=1')
    expect(textIds(body)).toEqual(ids.slice(1))
    expect(body).toMatchObject({ total_count: 9, limit: 8, offset: 1 })
    const lengths = body.embeddings.map(({ text }: { text: string }) => text.length)
    expect(lengths).toEqual([3e6, 3e6, 3e6, 3e6, 3e6, 2, 3e6, 2])
    const groups: string[][] = []
    for await (const { rows } of readPage(database.short.db, collectionId, {
      limit: 9,
      offset: 0,
    })) {
      groups.push(rows.map(({ textId }) => textId))
    }
    expect(groups).toEqual([['t0', 't1', 't2', 't3'], ['t4', 't5', 't6', 't7'], ['t8']])
  })

  it('breaks off between two parts when the project is emptied, not when one is deleted', async () => {
    const project = await newProject()
    const ids = Array.from({ length: 9 }, (_, index) => `t${index}`)
    await upload(project, ...ids.map((textId) => embedding(textId, [1, 2, 3])))
    const collectionId = await collectionOf(project)
    const { db } = (await testApp()).database.short
    const inCollection = sql`where collection_id = ${collectionId}`
    await db.execute(sql`update embeddings set text = repeat('long', 1000000) ${inCollection}`)
    const parts = readPage(db, collectionId, { limit: 9, offset: 0 })
    const nextIds = async () =>
      (await parts.next()).value?.rows.map(({ textId }: { textId: string }) => textId)
    expect(await nextIds()).toEqual(['t0', 't1', 't2'])
    await call('DELETE', `${project.path('embeddings')}/t4`, project.owner)
    expect(await nextIds()).toEqual(['t3', 't5', 't6'])
    await call('DELETE', project.path('embeddings'), project.owner)
    // As the cleaner does.
    await db.execute(sql`delete from embeddings ${inCollection}`)
    await expect(nextIds()).rejects.toThrow('emptied or deleted')
  })

  it('is empty past the end', async () => {
    const project = await newProject()
    await upload(project, embedding('a', [1, 2, 3]))
    for (const offset of [1, 2_147_483_647]) {
      const { status, body } = await list(project, `offset=${offset}`)
      expect(status).toBe(200)
      expect(body).toEqual({ embeddings: [], total_count: 1, limit: 10, offset })
    }
  })
})

describe('one embedding', () => {
  it('is the same by path and by query', async () => {
    const project = await newProject()
    await upload(project, embedding('a', [1, 2, 3]), embedding('b', [1, 2, 3]))
    const byPath = await read(project, `${project.path('embeddings')}/b`)
    expect(byPath.body).toMatchObject({ text_id: 'b', project_id: expect.any(Number) })
    expect((await read(project, queryFor(project, 'b'))).body).toEqual(byPath.body)
  })

  it('has the id of its project', async () => {
    const project = await newProject()
    await upload(project, embedding('a', [1, 2, 3]))
    const { project_id } = (await read(project, project.path())).body
    expect((await read(project, queryFor(project, 'a'))).body.project_id).toBe(project_id)
  })

  it.each(['text_id=', 'text_id', 'text_id=a&text_id=b'])('is not named by ?%s', async (query) => {
    const project = await newProject()
    await upload(project, embedding('a', [1, 2, 3]))
    expect((await list(project, query)).status).toBe(400)
  })
})
