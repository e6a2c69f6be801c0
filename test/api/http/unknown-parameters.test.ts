import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { urlOf } from '../../support/authorization/requests.ts'
import { newWorld } from '../../support/authorization/world.ts'
import { asAdmin, call } from '../../support/client.ts'
import { embedding, newProject, newUser, unique, upload } from '../../support/factories.ts'
import { operationsOf } from '../../support/openapi/document.ts'

const { document } = await testApp()

async function projectWithOne() {
  const project = await newProject()
  await upload(project, embedding('a', [1, 0, 0]))
  return project
}

describe('a query parameter that an operation does not know', () => {
  it.each([
    ['similars', '/a?treshold=0.5', "'treshold': did you mean threshold?"],
    ['similars', '/a?Threshold=0.5', "'Threshold': did you mean threshold?"],
    ['similars', '/a?count=1&includeSelf=true', "'includeSelf': did you mean include_self?"],
    ['embeddings', '?Limit=5', "'Limit': did you mean limit?"],
    [
      'embeddings',
      '?page=5',
      "'page'; known here: text_id, limit, offset, after, filter, include, vector_format",
    ],
    ['embeddings', '/a?limit=5', "'limit'; known here: include, vector_format"],
    ['projects', '?a%20b%26=5', "'a b&'; there are none here"],
    ['projects', '?__proto__=5', "'__proto__'; there are none here"],
  ])('is named, with the one that was meant: %s%s', async (collection, rest, what) => {
    const project = await projectWithOne()
    const answer = await call('GET', project.path(collection) + rest, project.owner)
    const detail = `Unknown query parameter ${what}`
    expect(answer).toMatchObject({ status: 400, body: { detail } })
  })

  it('is not repeated when it is as long as a key', async () => {
    const { handle, key } = await newUser()
    const answer = await call('GET', `/v1/users/${handle}?${key}`, { key })
    expect(answer.body.detail).toBe(
      `Unknown query parameter of ${key.length} characters; there are none here`,
    )
  })

  it('is refused by every operation, before its body', async () => {
    const world = await newWorld(true)
    for (const operation of operationsOf(document)) {
      const path = `${urlOf(operation, 'there', world, 'admin')}?unknown_here=1`
      const { status, body } = await asAdmin(operation.method, path)
      expect({ status, detail: body.detail }, operation.id).toEqual({
        status: 400,
        detail: expect.stringMatching(/^Unknown query parameter 'unknown_here'; /),
      })
    }
  })

  it('does not tell a stranger more than a known one', async () => {
    const project = await projectWithOne()
    const { key } = await newUser()
    const path = `${project.path('similars')}/a?treshold=1`
    expect((await call('GET', path, { key })).status).toBe(403)
    expect((await call('GET', path)).status).toBe(401)
  })

  it('changes nothing', async () => {
    const handle = unique('user')
    const body = { user_handle: handle }
    expect((await asAdmin('POST', '/v1/users?dry_run=true', { body })).status).toBe(400)
    expect((await asAdmin('GET', `/v1/users/${handle}`)).status).toBe(404)
  })

  it('deletes nothing', async () => {
    const project = await newProject()
    const { handle } = project.owner
    for (const path of [
      project.path(),
      `/v1/llm-services/${handle}/model`,
      `/v1/users/${handle}`,
    ]) {
      expect((await asAdmin('DELETE', `${path}?dry_run=true`)).status).toBe(400)
      expect((await asAdmin('GET', path)).status).toBe(200)
    }
  })
})
