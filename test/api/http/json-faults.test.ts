import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { itemText, textIdsIn } from '../../support/data/embeddings.ts'
import { newProject, type Project } from '../../support/factories.ts'

const numbers = (last: string) => `[${Array(99).fill('0.25')},${last}]`
const padding = `"${'x'.repeat(1_100_000)}"`
const item = (textId: string, last: string) =>
  itemText(textId, { vector: numbers(last), vector_dim: '100' })

const post = ({ owner, path }: Project, collection: string, raw: string) =>
  call('POST', path(collection), { key: owner.key, raw })

const refused = (detail: string) => ({ status: 400, body: { title: 'Bad Request', detail } })
const byteOf = (raw: string, part: string) => raw.indexOf(part).toLocaleString('en-US')

/** All that can be wrong, and how it is said, is tried in test/unit/json-fault.test.ts. */
describe('what other programs write for JSON is named with its place', () => {
  it('in an upload, be it large or small', async () => {
    const project = await newProject({}, { dimensions: 100 })
    const items = [item('a', '1'), item('b', '2'), item('x', 'NaN'), item('c', 'NaN')]
    for (const begin of ['{', `{"padding":${padding},`]) {
      const raw = `${begin}"embeddings":[${items}]}`
      const where = `embeddings[2].vector[99], text_id 'x', byte ${byteOf(raw, 'NaN')}`
      const answer = await post(project, 'embeddings', raw)
      expect(answer).toMatchObject(refused(`NaN is not JSON: ${where}`))
    }
    expect(await textIdsIn(project)).toEqual([])
  })

  it('behind the last item of an upload, or where it is cut off', async () => {
    const project = await newProject({}, { dimensions: 100 })
    const raw = `{"embeddings":[${item('a', '1')},${item('b', '2')},]}`
    const bracket = (raw.length - 2).toLocaleString('en-US')
    expect(await post(project, 'embeddings', raw)).toMatchObject(
      refused(`A trailing comma is not JSON: embeddings[2], byte ${bracket}`),
    )
    const cut = raw.slice(0, -30)
    const { status, body } = await post(project, 'embeddings', cut)
    expect(status).toBe(400)
    expect(body.detail).toContain('The body is not valid JSON, it ends too early: embeddings[1].')
    expect(body.detail).toContain(`, text_id 'b', byte ${cut.length.toLocaleString('en-US')}`)
  })

  it('in a vector that is searched for', async () => {
    const project = await newProject()
    const answer = await post(project, 'similars', '{"vector":[1,NaN,0]}')
    expect(answer).toMatchObject(refused('NaN is not JSON: vector[1], byte 13'))
  })
})
