import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { refusal } from '../../support/data/refusals.ts'
import {
  newDefinition,
  newInstance,
  newStandard,
  newUser,
  unique,
} from '../../support/factories.ts'

const pathOf = (handle: string) => `/v1/api-standards/${handle}`

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
    const handles = body.standards.map((standard: object) => Object.values(standard)[0])
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
    const wrong = { description: '', key_method, key_field: key_field === '' ? 'key' : '' }
    const answer = await asAdmin('PUT', pathOf(unique('standard')), { body: wrong })
    expect(answer).toMatchObject(refusal(400, /^key_field/))
  })
})

it('PATCH of an API standard needs a key_field that fits the method of the result, not of what is sent', async () => {
  const path = pathOf(await newStandard())
  const patch = (body: object) => asAdmin('PATCH', path, { body })
  expect((await patch({ key_method: 'none' })).status).toBe(400)
  const keyless = { key_method: 'none', key_field: '' }
  expect((await patch(keyless)).body).toMatchObject(keyless)
})

describe('deleting an API standard', () => {
  it('is refused while instances refer to it, with their number', async () => {
    const api_standard = await newStandard()
    const path = pathOf(api_standard)
    const user = await newUser()
    await newInstance(user, { api_standard }, 'one')
    await newInstance(user, { api_standard }, 'two')
    const detail = 'Cannot delete API standard: referenced by 2 LLM service instances'
    expect(await asAdmin('DELETE', path)).toMatchObject({ status: 409, body: { detail } })
    await asAdmin('DELETE', `/v1/users/${user.handle}`)
    expect((await asAdmin('DELETE', path)).status).toBe(200)
  })

  it('is refused while definitions refer to it', async () => {
    const api_standard = await newStandard()
    const path = pathOf(api_standard)
    const { path: definition } = await newDefinition(await newUser(), 'mine', { api_standard })
    expect(await asAdmin('DELETE', path)).toMatchObject(refusal(409, '1 definition'))
    await asAdmin('DELETE', definition)
    expect((await asAdmin('DELETE', path)).status).toBe(200)
    expect((await asAdmin('DELETE', pathOf('provider-a'))).status).toBe(409)
  })
})
