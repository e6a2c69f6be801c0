import { describe, expect, it } from 'vitest'
import { modelOf } from '../../shared/model.ts'
import { adminKey, testApp } from '../../support/app.ts'
import { embedding, unique } from '../../support/factories.ts'
import { answersOf, operationsOf } from '../../support/openapi/document.ts'
import { member } from '../../support/openapi/document-schemas.ts'

const { app, document } = await testApp()
const owner = unique('owner')
const friend = unique('friend')
const standard = unique('standard')
const service = modelOf()
const uses = { instance_owner: owner, instance_handle: 'model.a' }
const key = { key_method: 'none', key_field: '', description: '' }
const share = { share_with_handle: friend, role: 'reader' }

const send = (method: string, path: string, body?: object) =>
  app.request(path, {
    method,
    headers: { Authorization: `Bearer ${adminKey}` },
    body: body === undefined ? null : JSON.stringify(body),
  })

describe('an answer 201', () => {
  it.each([
    ['POST', '/v1/users', { user_handle: owner }, `/v1/users/${owner}`],
    ['PUT', `/v1/users/${friend}`, {}, `/v1/users/${friend}`],
    [
      'POST',
      '/v1/api-standards',
      { api_standard_handle: standard, ...key },
      `/v1/api-standards/${standard}`,
    ],
    ['PUT', `/v1/api-standards/${standard}.b`, key, `/v1/api-standards/${standard}.b`],
    [
      'POST',
      `/v1/llm-definitions/${owner}`,
      { definition_handle: 'a', ...service },
      `/v1/llm-definitions/${owner}/a`,
    ],
    ['PUT', `/v1/llm-definitions/${owner}/b`, service, `/v1/llm-definitions/${owner}/b`],
    ['PUT', `/v1/llm-services/${owner}/model%2Ea`, service, `/v1/llm-services/${owner}/model.a`],
    ['POST', `/v1/projects/${owner}`, { project_handle: 'a', ...uses }, `/v1/projects/${owner}/a`],
    ['PUT', `/v1/projects/${owner}/b`, uses, `/v1/projects/${owner}/b`],
  ])('to %s %s has the path of what was created', async (method, path, body, location) => {
    const answer = await send(method, path, body)
    expect(answer.status).toBe(201)
    expect(answer.headers.get('location')).toBe(location)
    expect((await send('GET', location)).status).toBe(200)
    if (method === 'POST') return
    const again = await send(method, path, body)
    expect([again.status, again.headers.get('location')]).toEqual([200, null])
  })

  it.each(['llm-services', 'projects'])('to a share has its path, below %s', async (kind) => {
    const thing = `/v1/${kind}/${owner}/${kind === 'projects' ? 'a' : 'model.a'}`
    const answer = await send('POST', `${thing}/share`, share)
    expect([answer.status, answer.headers.get('location')]).toEqual([
      201,
      `${thing}/share/${friend}`,
    ])
    expect((await send('DELETE', `${thing}/share/${friend}`)).status).toBe(200)
  })

  it('to an upload of many has none', async () => {
    const item = { ...embedding('a', [1, 0, 0]), instance_handle: 'model.a' }
    const answer = await send('POST', `/v1/embeddings/${owner}/a`, { embeddings: [item] })
    expect([answer.status, answer.headers.get('location')]).toEqual([201, null])
  })
})

describe('the document declares', () => {
  const shared = document.components?.responses?.['Error']
  const having = (name: string, status: RegExp) =>
    operationsOf(document).flatMap((operation) =>
      answersOf(operation)
        .filter(([each]) => status.test(each))
        .map(([each, answer]) => ({
          id: `${operation.id} ${each}`,
          declared: member(member(each === 'default' ? shared : answer, 'headers'), name),
        })),
    )

  it('Location of what creates one thing', () => {
    const declared = { $ref: '#/components/headers/Location' }
    const found = having('Location', /^201$/)
    expect(found.length).toBe(13)
    for (const each of found) {
      expect(each.declared, each.id).toEqual(
        each.id === 'uploadEmbeddings 201' ? undefined : declared,
      )
    }
    expect(having('Location', /^(?!201)/).filter(({ declared }) => declared !== undefined)).toEqual(
      [],
    )
  })

  it('X-Request-Id of every answer, and Retry-After of those that say when to come again', () => {
    for (const { id, declared } of having('X-Request-Id', /./)) {
      expect(declared, id).toEqual({ $ref: '#/components/headers/RequestId' })
    }
    const waits = having('Retry-After', /./).filter(({ declared }) => declared !== undefined)
    const refusals = having('Retry-After', /^(503|default)$/)
    // What is being computed says when to ask again, too.
    expect(waits.map(({ id }) => id).sort()).toEqual(
      [...refusals.map(({ id }) => id), 'getProjectMap 202'].sort(),
    )
  })
})
