import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { badHandles, expectRefused, oddHandles, unstorable } from '../../support/data/refusals.ts'
import { newInstance, newUser, unique } from '../../support/factories.ts'

const fields = { description: 'A header', key_method: 'auth_apikey', key_field: 'X-API-Key' }
const badFields = {
  description: [undefined, null, 5, 'd'.repeat(10_001), ...unstorable],
  key_method: [undefined, null, '', 'bearer', 'AUTH_BEARER', 5],
  key_field: [undefined, null, 5, 'k'.repeat(256), ...unstorable],
}
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

  it('are created whole, and read without a key', async () => {
    const { path, ...standard } = await newStandard()
    expect((await call('GET', path)).body).toEqual(standard)
    expect((await call('GET', '/v1/api-standards')).body.standards).toContainEqual(standard)
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

  it('have handles and texts up to the limits', async () => {
    for (const handle of oddHandles) {
      const description = 'd'.repeat(10_000)
      const put = await asAdmin('PUT', pathOf(handle), { body: { ...fields, description } })
      expect(put, handle).toMatchObject({ status: 201, body: { api_standard_handle: handle } })
      expect(await asAdmin('DELETE', pathOf(handle))).toMatchObject({ status: 200 })
    }
  })

  it('refuse what is missing or invalid', async () => {
    const valid = { api_standard_handle: unique('standard'), ...fields }
    await expectRefused((body) => asAdmin('POST', '/v1/api-standards', { body }), valid, {
      api_standard_handle: badHandles,
      ...badFields,
    })
  })
})

describe('changing an API standard', () => {
  it('by PUT creates or replaces it, and needs all fields', async () => {
    const handle = unique('standard')
    const path = pathOf(handle)
    const put = (body: object) => asAdmin('PUT', path, { body })
    const created = await put({ ...fields, nonsense: true })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ api_standard_handle: handle, ...fields })
    const changed = { description: 'No key', key_method: 'none', key_field: '' }
    const replaced = await put({ api_standard_handle: handle, ...changed })
    expect(replaced.status).toBe(200)
    expect(replaced.body).toEqual({ api_standard_handle: handle, ...changed })
    expect((await call('GET', path)).body).toEqual(replaced.body)
    await expectRefused(put, fields, { api_standard_handle: ['provider-a', 5], ...badFields })
  })

  it('by PATCH changes the given fields only', async () => {
    const { path, ...standard } = await newStandard()
    const patch = (body: object) => asAdmin('PATCH', path, { body })
    const { api_standard_handle } = standard
    const described = await patch({ description: 'New', api_standard_handle })
    expect(described.status).toBe(200)
    expect(described.body).toEqual({ ...standard, description: 'New' })
    expect((await patch({})).body).toEqual(described.body)
    const { description, key_method, key_field } = badFields
    await expectRefused(
      patch,
      {},
      {
        api_standard_handle: ['provider-a', null],
        description: description.slice(1),
        key_method: key_method.slice(1),
        key_field: [...key_field.slice(1), ''],
      },
    )
    // The rule of key_field holds for the result, not for what is sent.
    expect((await patch({ key_method: 'none' })).status).toBe(400)
    const keyless = { key_method: 'none', key_field: '' }
    expect((await patch(keyless)).body).toEqual({ ...described.body, ...keyless })
    expect((await call('GET', path)).body).toEqual({ ...described.body, ...keyless })
  })
})

describe('deleting an API standard', () => {
  it('is answered with a message', async () => {
    const { path, api_standard_handle } = await newStandard()
    const deleted = await asAdmin('DELETE', path)
    expect(deleted.status).toBe(200)
    expect(deleted.body).toEqual({ message: expect.stringContaining(api_standard_handle) })
    expect((await call('GET', path)).status).toBe(404)
  })

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
