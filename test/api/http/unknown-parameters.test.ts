import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { urlOf } from '../../support/authorization/requests.ts'
import { newWorld } from '../../support/authorization/world.ts'
import { asAdmin, call } from '../../support/client.ts'
import { embedding, newProject, newUser, upload } from '../../support/factories.ts'
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
})
