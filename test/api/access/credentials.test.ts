import { beforeAll, describe, expect, it } from 'vitest'
import { modelOf } from '../../shared/model.ts'
import { adminKey, testApp } from '../../support/app.ts'
import { asAdmin, call } from '../../support/client.ts'
import { newProject, newUser, unique } from '../../support/factories.ts'

// The first start of the engine takes longer than a test may.
beforeAll(testApp)

const withHeader = (method: string, path: string, Authorization: string) =>
  call(method, path, { headers: { Authorization } })

describe('the Authorization header', () => {
  it.each([
    ...['', 'Bearer', 'KEY', 'Bearer  KEY', 'Bearer\tKEY', 'Bearer KEY KEY'],
    ...['Bearer KEY, Bearer KEY', 'Bearer "KEY"', 'Bearer: KEY', 'Basic KEY', 'Token KEY'],
    'XBearer KEY',
  ])('that is %j is no credential, not even where none is needed', async (form) => {
    const project = await newProject({ public_read: true })
    const header = form.replaceAll('KEY', project.owner.key)
    for (const path of [project.path(), `/v1/users/${project.owner.handle}`]) {
      const answer = await withHeader('GET', path, header)
      expect(answer.status, path).toBe(401)
      expect(answer.body.detail).toBe('Invalid or missing authorization credentials')
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it.each(['Bearer', 'bearer', 'BEARER'])('may spell the scheme as %s', async (scheme) => {
    const { handle, key } = await newUser()
    expect((await withHeader('GET', `/v1/users/${handle}`, `${scheme} ${key}`)).status).toBe(200)
    expect((await withHeader('GET', '/v1/users', `${scheme} ${adminKey}`)).status).toBe(200)
  })

  it('must hold the key letter by letter', async () => {
    const { handle, key } = await newUser()
    for (const wrong of [key.slice(0, -1), `${key}x`, key.toUpperCase(), handle, '_system']) {
      expect((await call('GET', `/v1/users/${handle}`, { key: wrong })).status).toBe(401)
    }
  })

  it('decides about HEAD as about GET', async () => {
    const { app } = await testApp()
    const { owner, path } = await newProject()
    const head = (headers: Record<string, string>) =>
      app.request(path(), { method: 'HEAD', headers })
    expect((await head({})).status).toBe(401)
    expect((await head({ Authorization: `Bearer ${(await newUser()).key}` })).status).toBe(403)
    expect((await head({ Authorization: `Bearer ${owner.key}` })).status).toBe(200)
  })

  it.each([
    ...['/docs', '/openapi.json', '/openapi.yaml', '/livez', '/readyz', '/v1/limits'],
    ...['/v1/api-standards', '/v1/schemas/similarity-response.json'],
  ])('is not looked at on %s', async (path) => {
    const { app } = await testApp()
    for (const Authorization of ['Basic abc', 'Bearer a-key-that-nobody-has', '']) {
      expect((await app.request(path, { headers: { Authorization } })).status).toBe(200)
    }
  })
})

it('whether a project is there is asked before the body of an upload', async () => {
  const { owner, path } = await newProject()
  const statusOf = async (path: string) =>
    (await call('POST', path, { key: owner.key, raw: '{"' })).status
  expect(await statusOf(`/v1/embeddings/${owner.handle}/missing`)).toBe(404)
  expect(await statusOf(path('embeddings'))).toBe(400)
})

it('the definitions of _system are written by the administrator', async () => {
  const path = `/v1/llm-definitions/_system/${unique('global')}`
  const body = modelOf()
  expect((await asAdmin('PUT', path, { body })).status).toBe(201)
  expect((await asAdmin('PATCH', path, { body: { model: 'large' } })).status).toBe(200)
  const { key } = await newUser()
  expect(await call('GET', path, { key })).toMatchObject({
    status: 200,
    body: { model: 'large' },
  })
  expect((await asAdmin('DELETE', path)).status).toBe(200)
  expect((await call('GET', path, { key })).status).toBe(404)
})
