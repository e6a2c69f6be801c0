import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { itemText, read, send, sendText, textIdsIn } from '../../support/data/embeddings.ts'
import { addProject, embedding, newProject, upload } from '../../support/factories.ts'

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('an upload', () => {
  it('answers 201 and the text_ids in the order they were sent', async () => {
    const project = await newProject()
    const answer = await send(project, embedding('z', [1, 0, 0]), embedding('a', [0, 1, 0]))
    expect(answer).toMatchObject({ status: 201, body: { uploaded: ['z', 'a'] } })
    expect(answer.body.message).toEqual(expect.any(String))
    expect(await textIdsIn(project)).toEqual(['a', 'z'])
  })

  it('may be empty', async () => {
    const project = await newProject()
    expect(await send(project)).toMatchObject({ status: 201, body: { uploaded: [] } })
  })

  it('stores everything it was given', async () => {
    const project = await newProject()
    const fields = { text: '\ufeffGrüße 😀', metadata: { a: [1, { b: null }] } }
    await upload(project, embedding('a', [0.5, -0.25, 2], fields))
    const { body } = await read(project, `${project.path('embeddings')}/a`)
    expect(body).toEqual({
      ...embedding('a', [0.5, -0.25, 2], fields),
      user_handle: project.owner.handle,
      project_handle: 'texts',
      project_id: expect.any(Number),
      created_at: timestamp,
    })
  })

  it('may say instance_handle and vector_dim once, for items that lack them', async () => {
    const project = await newProject()
    const path = project.path('embeddings')
    const embeddings = [
      { text_id: 'a', vector: [1, 2, 3] },
      { text_id: 'b', vector: [1, 2, 4], vector_dim: 3 },
      { text_id: 'c', vector: [1, 2, 5], instance_handle: 'model' },
    ]
    const once = { instance_handle: 'model', vector_dim: 3 }
    const { key } = project.owner
    expect((await call('POST', path, { key, body: { ...once, embeddings } })).status).toBe(201)
    const split = {
      vector_dim: 3,
      embeddings: [{ text_id: 'd', vector: [1, 2, 6], instance_handle: 'model' }],
    }
    expect((await call('POST', path, { key, body: split })).status).toBe(201)
    for (const textId of ['a', 'b', 'c', 'd']) {
      const { body } = await read(project, `${path}/${textId}`)
      expect(body).toMatchObject(once)
    }
  })

  it.each([
    [{}, 'embeddings[1].instance_handle is required'],
    [{ instance_handle: 'model' }, 'embeddings[1].vector_dim is required'],
    [{ vector_dim: 3 }, 'embeddings[1].instance_handle is required'],
    [{ instance_handle: 'other', vector_dim: 3 }, "instance_handle is 'other', but"],
    [{ instance_handle: 'model', vector_dim: 4 }, 'embedding declares 4 dimensions but'],
    [{ instance_handle: 'model', vector_dim: '3' }, 'vector_dim: '],
    [{ instance_handle: null, vector_dim: 3 }, 'instance_handle: '],
  ])('is refused where an item lacks them and %j is all that is said', async (once, detail) => {
    const project = await newProject()
    const embeddings = [embedding('a', [1, 2, 3]), { text_id: 'b', vector: [1, 2, 3] }]
    const body = { ...once, embeddings }
    const answer = await call('POST', project.path('embeddings'), { key: project.owner.key, body })
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toContain(detail)
    expect(await textIdsIn(project)).toEqual([])
  })

  it('in JSON does not take them from the URL, where they are for lines', async () => {
    const project = await newProject()
    const path = `${project.path('embeddings')}?instance_handle=model&vector_dim=3`
    const body = { embeddings: [embedding('a', [1, 2, 3])] }
    const answer = await call('POST', path, { key: project.owner.key, body })
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toContain('instance_handle in the URL is for lines')
  })

  it('names the fields that mean nothing, and no others', async () => {
    const project = await newProject()
    const sent = await send(
      project,
      embedding('a', [1, 2, 3], { document: 'x', meta: {} }),
      embedding('b', [1, 2, 3], { book: 'Mark', meta: {}, [`smb_${'k'.repeat(60)}`]: 1 }),
    )
    expect(sent.body).toEqual({
      message: '2 embeddings uploaded',
      uploaded: ['a', 'b'],
      ignored: ['document', 'meta', 'book', 'of 64 characters'],
    })
    const known = { created_at: 'x', user_handle: 'x', project_handle: 'x', project_id: 1 }
    const { body } = await send(project, embedding('c', [1, 2, 3], known))
    expect(body).toEqual({ message: '1 embedding uploaded', uploaded: ['c'] })
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, 1]))
    const lots = await send(project, embedding('d', [1, 2, 3], many))
    expect(lots.body.ignored.length).toBe(20)
  })

  it('ignores fields that only answers have, and unknown ones', async () => {
    const project = await newProject()
    await upload(project, embedding('a', [1, 2, 3]))
    const { body } = await read(project, `${project.path('embeddings')}/a`)
    const other = await addProject(project.owner, 'copy')
    await upload(other, { ...body, created_at: '1999-01-01T00:00:00.000Z', surprise: {} })
    const copied = (await read(other, `${other.path('embeddings')}/a`)).body
    expect(copied).toMatchObject({ project_handle: 'copy', vector: [1, 2, 3] })
    expect(copied.created_at).not.toContain('1999')
    expect(copied).not.toHaveProperty('surprise')
  })

  it('may repeat a text_id that was deleted', async () => {
    const project = await newProject()
    const { key } = project.owner
    await upload(project, embedding('a', [1, 0, 0]))
    await call('DELETE', `${project.path('embeddings')}/a`, { key })
    await upload(project, embedding('a', [0, 1, 0]))
    const { body } = await read(project, `${project.path('embeddings')}/a`)
    expect(body.vector).toEqual([0, 1, 0])
  })
})

describe('text and metadata', () => {
  it.each(['absent', 'null'])('are left out of the answer when %s', async (how) => {
    const project = await newProject()
    await upload(
      project,
      embedding('a', [1, 2, 3], how === 'null' ? { text: null, metadata: null } : {}),
    )
    const { body } = await read(project, project.path('embeddings'))
    expect(body.embeddings[0]).not.toHaveProperty('text')
    expect(body.embeddings[0]).not.toHaveProperty('metadata')
  })

  it('may be empty', async () => {
    const project = await newProject()
    await upload(project, embedding('a', [1, 2, 3], { text: '', metadata: {} }))
    const { body } = await read(project, `${project.path('embeddings')}/a`)
    expect(body).toMatchObject({ text: '', metadata: {} })
  })

  it.each([...['"a\\u0000b"', '"\\ud800"', '"\\udc00x"', '1', '[]', '{}', 'true']])(
    'are refused when the text is %s',
    async (text) => {
      const project = await newProject()
      const answer = await sendText(project, itemText('a', { text }))
      expect(answer.status).toBe(400)
      expect(answer.body.detail).toMatch(/^embeddings\[0\]\.text: .* \(text_id 'a'\)$/)
      expect(await textIdsIn(project)).toEqual([])
    },
  )
})
