import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { newInstance, newUser, unique } from '../../support/factories.ts'

const fields = { description: 'A header', key_method: 'auth_apikey', key_field: 'X-API-Key' }
const pathOf = (handle: string) => `/v1/api-standards/${handle}`

async function newStandard(changes: object = {}) {
  const body = { api_standard_handle: unique('standard'), ...fields, ...changes }
  const created = await asAdmin('POST', '/v1/api-standards', { body })
  expect(created.status).toBe(201)
  expect(created.body).toEqual(body)
  return { ...body, path: pathOf(body.api_standard_handle) }
}

describe('API standards', () => {
  it('are there from the start, and public', async () => {
    const { status, body } = await call('GET', '/v1/api-standards')
    expect(status).toBe(200)
    const seeds = [
      { api_standard_handle: 'provider-a', key_method: 'auth_bearer', key_field: 'Authorization' },
      { api_standard_handle: 'provider-b', key_method: 'auth_bearer', key_field: 'Authorization' },
      { api_standard_handle: 'provider-c', key_method: 'query_param', key_field: 'key' },
    ].map((seed) => ({ ...seed, description: expect.stringMatching(/./) }))
    expect(body.standards).toEqual(expect.arrayContaining(seeds))
    const handles = body.standards.map((standard: typeof fields) => Object.values(standard)[0])
    expect(handles).toEqual(handles.toSorted())
    const one = await call('GET', pathOf('provider-c'))
    expect(one.status).toBe(200)
    expect(one.body).toEqual(seeds[2])
  })

  it.each([
    ['auth_bearer', 'Authorization'],
    ['auth_apikey', 'X-API-Key'],
    ['query_param', 'key'],
    ['none', ''],
  ])('know the method %s with the field %j', async (key_method, key_field) => {
    await newStandard({ key_method, key_field })
    const wrong = key_field === '' ? 'Authorization' : ''
    const body = { api_standard_handle: unique('standard'), ...fields, key_method }
    const refused = { ...body, key_field: wrong }
    const answer = await asAdmin('POST', '/v1/api-standards', { body: refused })
    expect(answer).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^key_field/) },
    })
  })
})

describe('changing an API standard', () => {
  it('by PATCH needs a key_field that fits the method of the result, not of what is sent', async () => {
    const { path, ...standard } = await newStandard()
    const patch = (body: object) => asAdmin('PATCH', path, { body })
    expect((await patch({ key_method: 'none' })).status).toBe(400)
    const keyless = { key_method: 'none', key_field: '' }
    expect((await patch(keyless)).body).toEqual({ ...standard, ...keyless })
  })
})

describe('deleting an API standard', () => {
  it('is refused while instances refer to it, with their number', async () => {
    const { path, api_standard_handle: api_standard } = await newStandard()
    const user = await newUser()
    await newInstance(user, { api_standard }, 'one')
    await newInstance(user, { api_standard }, 'two')
    const detail = 'Cannot delete API standard: referenced by 2 LLM service instances'
    expect(await asAdmin('DELETE', path)).toMatchObject({ status: 409, body: { detail } })
    await asAdmin('DELETE', `/v1/users/${user.handle}`)
    expect((await asAdmin('DELETE', path)).status).toBe(200)
  })

  it('is refused while definitions refer to it', async () => {
    const { path, api_standard_handle: api_standard } = await newStandard()
    const { handle, key } = await newUser()
    const body = { endpoint: 'https://a.example', api_standard, model: 'm', dimensions: 3 }
    const definition = `/v1/llm-definitions/${handle}/mine`
    expect((await call('PUT', definition, { key, body })).status).toBe(201)
    const refused = await asAdmin('DELETE', path)
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('1 definition') },
    })
    await call('DELETE', definition, { key })
    expect((await asAdmin('DELETE', path)).status).toBe(200)
    expect((await asAdmin('DELETE', pathOf('provider-a'))).status).toBe(409)
  })
})
