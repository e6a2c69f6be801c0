import { describe, expect, it } from 'vitest'
import { vectorToBase64 } from '../../../src/vectors/encoding.ts'
import { call } from '../../support/client.ts'
import { pathTo, read, send, textIdsIn } from '../../support/data/embeddings.ts'
import { refusal } from '../../support/data/refusals.ts'
import { addProject, embedding, newProject, type Project, upload } from '../../support/factories.ts'

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
    expect(
      await call('POST', project.path('embeddings'), { key: project.owner.key, body }),
    ).toMatchObject(refusal(400, detail))
    expect(await textIdsIn(project)).toEqual([])
  })

  it('in JSON does not take them from the URL, where they are for lines', async () => {
    const project = await newProject()
    const path = `${project.path('embeddings')}?instance_handle=model&vector_dim=3`
    const body = { embeddings: [embedding('a', [1, 2, 3])] }
    expect(await call('POST', path, { key: project.owner.key, body })).toMatchObject(
      refusal(400, 'instance_handle in the URL is for lines'),
    )
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
})

const sendBy = (rule: string, project: Project, ...embeddings: object[]) =>
  call('POST', `${project.path('embeddings')}?on_conflict=${rule}`, {
    key: project.owner.key,
    body: { embeddings },
  })
const shown = async (project: Project, textId: string) =>
  (await read(project, pathTo(project, textId))).body

const old = embedding('a', [1, 2, 3], { text: 'old', metadata: { n: 1 } })

describe('on_conflict', () => {
  it('is error unless told otherwise, and then says what it said before', async () => {
    const project = await newProject()
    const answer = await sendBy('error', project, old)
    expect(answer.body).toEqual({ message: '1 embedding uploaded', uploaded: ['a'] })
    expect((await sendBy('error', project, old)).status).toBe(409)
    const { status, body } = await sendBy('ignore', project, old)
    expect(status).toBe(400)
    expect(body.detail).toBe('on_conflict must be error, skip or replace')
  })

  it('skip leaves what is there as it is', async () => {
    const project = await newProject()
    await upload(project, old)
    const { status, body } = await sendBy(
      'skip',
      project,
      embedding('b', [1, 0, 0]),
      embedding('a', [9, 9, 9]),
    )
    expect(status).toBe(201)
    expect(body).toEqual({
      message: '1 embedding uploaded, 1 skipped',
      uploaded: ['b'],
      replaced: [],
      skipped: ['a'],
      unchanged: [],
    })
    expect(await shown(project, 'a')).toMatchObject(old)
  })

  it('replace changes what differs, and nothing else', async () => {
    const project = await newProject()
    const rows = ['vector', 'zero', 'text', 'metadata', 'none', 'same']
    await upload(project, ...rows.map((id) => ({ ...old, text_id: id, vector: [1, 0, 3] })))
    const before = await Promise.all(rows.map((id) => shown(project, id)))
    const [base, , , , { text: _, metadata: __, ...bare }] = before.map(
      ({ text_id, text, metadata }) => ({ ...old, text_id, vector: [1, 0, 3], text, metadata }),
    ) as [object, object, object, object, Record<string, unknown>]
    const { body } = await sendBy(
      'replace',
      project,
      { ...base, text_id: 'same' },
      { ...base, text_id: 'vector', vector: [1, 0, 3.0000002] },
      { ...base, text_id: 'zero', vector: vectorToBase64(Float32Array.of(1, -0, 3)) },
      { ...base, text_id: 'text', text: 'new' },
      { ...base, text_id: 'metadata', metadata: { n: '1' } },
      bare,
      { ...base, text_id: 'new' },
    )
    expect(body).toEqual({
      message: '1 embedding uploaded, 5 replaced, 1 unchanged',
      uploaded: ['new'],
      replaced: ['vector', 'zero', 'text', 'metadata', 'none'],
      skipped: [],
      unchanged: ['same'],
    })
    const after = await Promise.all(rows.map((id) => shown(project, id)))
    expect(after.at(-1)).toEqual(before.at(-1))
    expect(after[0].vector).toEqual([1, 0, 3.0000002])
    expect(after[2].text).toBe('new')
    expect(after[3].metadata).toEqual({ n: '1' })
    expect(after[4]).not.toHaveProperty('text')
    for (const [index, { created_at }] of after.slice(0, -1).entries()) {
      expect(created_at >= before[index].created_at).toBe(true)
    }
    const list = await call('GET', project.path('embeddings'), project.owner)
    expect(list.body.total_count).toBe(7)
  })

  it('never stores a text_id twice from one batch', async () => {
    const project = await newProject()
    for (const rule of ['skip', 'replace']) {
      expect((await sendBy(rule, project, old, old)).status).toBe(409)
    }
    expect(await textIdsIn(project)).toEqual([])
  })

  it('keeps nothing of a batch with a bad item', async () => {
    const project = await newProject()
    await upload(project, old)
    const bad = embedding('b', [1, 2])
    const { status } = await sendBy('replace', project, { ...old, text: 'new' }, bad)
    expect(status).toBe(400)
    expect(await shown(project, 'a')).toMatchObject(old)
  })
})

describe('replacing at the same time as', () => {
  const batch = (value: number) =>
    Array.from({ length: 40 }, (_, index) => embedding(`t${index}`, [1, value, index]))

  it('replacing leaves one of the batches, and nobody waits for ever', async () => {
    const project = await newProject()
    await upload(project, ...batch(0).slice(0, 20))
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, round) =>
        sendBy('replace', project, ...(round % 2 === 0 ? batch(round) : batch(round).toReversed())),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const list = await call('GET', `${project.path('embeddings')}?limit=200`, project.owner)
    expect(list.body.total_count).toBe(40)
    const values = list.body.embeddings.map(({ vector }: { vector: number[] }) => vector[1])
    expect(new Set(values).size).toBe(1)
  })
})

it('a vector in base64 is stored to the bit, long or short', async () => {
  for (const dimensions of [1, 3, 384]) {
    const project = await newProject({}, { dimensions })
    const vector = Float32Array.from({ length: dimensions }, (_, index) => Math.sin(index + 1))
    const declared = { instance_handle: 'model', vector_dim: dimensions }
    await upload(project, { text_id: 'a', ...declared, vector: vectorToBase64(vector) })
    expect((await shown(project, 'a')).vector.map(Math.fround)).toEqual([...vector])
  }
})
