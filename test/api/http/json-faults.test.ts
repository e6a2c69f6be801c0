import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { itemText, textIdsIn } from '../../support/data/embeddings.ts'
import { newProject, type Project } from '../../support/factories.ts'

const numbers = (last: string) => `[${Array(99).fill('0.25')},${last}]`
const padding = `"${'x'.repeat(1_100_000)}"`
const item = (textId: string, last: string) =>
  itemText(textId, { vector: numbers(last), vector_dim: '100' })

const send = (project: Project, method: string, path: string, raw: string) =>
  call(method, path, { key: project.owner.key, raw })

const refused = (detail: string) => ({ status: 400, body: { title: 'Bad Request', detail } })
const byteOf = (raw: string, part: string) => raw.indexOf(part).toLocaleString('en-US')

describe('what other programs write for JSON is named with its place', () => {
  it.each(['NaN', 'Infinity', '-Infinity'])('in a vector of an upload: %s', async (word) => {
    const project = await newProject({}, { dimensions: 100 })
    const items = [item('a', '1'), item('b', '2'), item('x', word), item('c', word)]
    for (const begin of ['{', `{"padding":${padding},`]) {
      const raw = `${begin}"embeddings":[${items}]}`
      const answer = await send(project, 'POST', project.path('embeddings'), raw)
      const byte = byteOf(raw, word)
      const where = `embeddings[2].vector[99], text_id 'x', byte ${byte}`
      expect(answer).toMatchObject(refused(`${word} is not JSON: ${where}`))
    }
    expect(await textIdsIn(project)).toEqual([])
  })

  it('in the metadata of an upload', async () => {
    const project = await newProject({}, { dimensions: 100 })
    const metadata = '{"score":NaN}'
    const fields = { vector: numbers('3'), vector_dim: '100', metadata }
    const raw = `{"embeddings":[${item('a', '1')},${itemText('x', fields)}]}`
    const answer = await send(project, 'POST', project.path('embeddings'), raw)
    const where = `embeddings[1].metadata.score, text_id 'x', byte ${byteOf(raw, 'NaN')}`
    expect(answer).toMatchObject(refused(`NaN is not JSON: ${where}`))
  })

  it('behind the last item of an upload, or where it is cut off', async () => {
    const project = await newProject({}, { dimensions: 100 })
    const path = project.path('embeddings')
    const raw = `{"embeddings":[${item('a', '1')},${item('b', '2')},]}`
    const bracket = (raw.length - 2).toLocaleString('en-US')
    expect(await send(project, 'POST', path, raw)).toMatchObject(
      refused(`A trailing comma is not JSON: embeddings[2], byte ${bracket}`),
    )
    const cut = raw.slice(0, -30)

    const { status, body } = await send(project, 'POST', path, cut)
    expect(status).toBe(400)
    expect(body.detail).toContain('The body is not valid JSON, it ends too early: embeddings[1].')
    expect(body.detail).toContain(`, text_id 'b', byte ${cut.length.toLocaleString('en-US')}`)
  })

  it('in a vector that is searched for', async () => {
    const project = await newProject()
    const answer = await send(project, 'POST', project.path('similars'), '{"vector":[1,NaN,0]}')
    expect(answer).toMatchObject(refused('NaN is not JSON: vector[1], byte 13'))
  })

  it('in any other body', async () => {
    const project = await newProject()
    const put = (raw: string) => send(project, 'PUT', project.path(), raw)
    expect(await put('{"description":None}')).toMatchObject(
      refused('None is not JSON, null is: description, byte 15'),
    )
    expect(await put(`{"description":'x'}`)).toMatchObject(
      refused('Single quotes are not JSON: description, byte 15'),
    )
    expect(await put('{"description":"x",}')).toMatchObject(
      refused('A trailing comma is not JSON: byte 19'),
    )
  })
})
