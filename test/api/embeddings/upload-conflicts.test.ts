import { describe, expect, it } from 'vitest'
import { vectorToBase64 } from '../../../src/vectors/encoding.ts'
import { call } from '../../support/client.ts'
import { textIdsIn } from '../../support/data/embeddings.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const send = (project: Project, rule: string, ...embeddings: object[]) =>
  call('POST', `${project.path('embeddings')}?on_conflict=${rule}`, {
    key: project.owner.key,
    body: { embeddings },
  })
const read = async (project: Project, textId: string) =>
  (await call('GET', `${project.path('embeddings')}/${textId}`, project.owner)).body

const old = embedding('a', [1, 2, 3], { text: 'old', metadata: { n: 1 } })

describe('on_conflict', () => {
  it('is error unless told otherwise, and then says what it said before', async () => {
    const project = await newProject()
    const answer = await send(project, 'error', old)
    expect(answer.body).toEqual({ message: '1 embedding uploaded', uploaded: ['a'] })
    expect((await send(project, 'error', old)).status).toBe(409)
    const { status, body } = await send(project, 'ignore', old)
    expect(status).toBe(400)
    expect(body.detail).toBe('on_conflict must be error, skip or replace')
  })

  it('skip leaves what is there as it is', async () => {
    const project = await newProject()
    await upload(project, old)
    const { status, body } = await send(
      project,
      'skip',
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
    expect(await read(project, 'a')).toMatchObject(old)
  })

  it('replace changes what differs, and nothing else', async () => {
    const project = await newProject()
    const rows = ['vector', 'zero', 'text', 'metadata', 'none', 'same']
    await upload(project, ...rows.map((id) => ({ ...old, text_id: id, vector: [1, 0, 3] })))
    const before = await Promise.all(rows.map((id) => read(project, id)))
    const [base, , , , { text: _, metadata: __, ...bare }] = before.map(
      ({ text_id, text, metadata }) => ({ ...old, text_id, vector: [1, 0, 3], text, metadata }),
    ) as [object, object, object, object, Record<string, unknown>]
    const { body } = await send(
      project,
      'replace',
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
    const after = await Promise.all(rows.map((id) => read(project, id)))
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
      expect((await send(project, rule, old, old)).status).toBe(409)
    }
    expect(await textIdsIn(project)).toEqual([])
  })

  it('keeps nothing of a batch with a bad item', async () => {
    const project = await newProject()
    await upload(project, old)
    const bad = embedding('b', [1, 2])
    const { status } = await send(project, 'replace', { ...old, text: 'new' }, bad)
    expect(status).toBe(400)
    expect(await read(project, 'a')).toMatchObject(old)
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
        send(project, 'replace', ...(round % 2 === 0 ? batch(round) : batch(round).toReversed())),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const list = await call('GET', `${project.path('embeddings')}?limit=200`, project.owner)
    expect(list.body.total_count).toBe(40)
    const values = list.body.embeddings.map(({ vector }: { vector: number[] }) => vector[1])
    expect(new Set(values).size).toBe(1)
  })
})

describe('a vector in base64', () => {
  it('is stored to the bit, long or short', async () => {
    for (const dimensions of [1, 3, 384]) {
      const project = await newProject({}, { dimensions })
      const vector = Float32Array.from({ length: dimensions }, (_, index) => Math.sin(index + 1))
      const declared = { instance_handle: 'model', vector_dim: dimensions }
      await upload(project, { text_id: 'a', ...declared, vector: vectorToBase64(vector) })
      expect((await read(project, 'a')).vector.map(Math.fround)).toEqual([...vector])
    }
  })

  it.each([
    ...['?', 'AACAPwA=', 'AACA-wAAgD8AAIA/', 'AACAPwAAgD8AAIA/ ', '[1,2,3]'].map((vector) => [
      ...['no base64', vector, 'embeddings[0].vector: must be an array of numbers, or base64'],
    ]),
    ['too short', 'AACAPw==', 'vector length (1) does not match declared vector_dim (3)'],
    ['cut off', 'AACAPwAAgD8AAIA', 'embeddings[0].vector: must be an array of numbers, or base64'],
    ['of no direction', 'AAAAAAAAAAAAAAAA', 'a vector of length zero has no direction'],
    ['not finite', 'AADAfwAAgD8AAIA/', 'element 0 is not a finite float32 number'],
    ['empty', '', 'vector length (0) does not match declared vector_dim (3)'],
  ])('is refused where it is %s', async (_, vector, detail) => {
    const project = await newProject()
    const { status, body } = await send(project, 'error', { ...embedding('a', [1, 2, 3]), vector })
    expect(status).toBe(400)
    expect(body.detail).toContain(detail)
    expect(body.detail).toContain("'a'")
  })
})
