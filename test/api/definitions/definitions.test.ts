import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { expectRefused, unstorable } from '../../support/data/refusals.ts'
import { newcomer, service } from '../../support/data/services.ts'
import { newDefinition, newUser, type User } from '../../support/factories.ts'

const system = '/v1/llm-definitions/_system'

describe('the definitions of _system', () => {
  it('are there from the start, for every authenticated caller', async () => {
    const { key } = await newUser()
    const { status, body } = await call('GET', system, { key })
    expect(status).toBe(200)
    const seeds = [
      { definition_handle: 'provider-a-large', api_standard: 'provider-a', dimensions: 3072 },
      { definition_handle: 'provider-a-small', api_standard: 'provider-a', dimensions: 1536 },
      { definition_handle: 'provider-b-v4', api_standard: 'provider-b', dimensions: 1536 },
      {
        definition_handle: 'provider-c-embedding-001',
        api_standard: 'provider-c',
        dimensions: 768,
      },
    ]
    for (const seed of seeds) {
      const found = body.definitions.find(
        (each: typeof seed) => each.definition_handle === seed.definition_handle,
      )
      expect(found).toMatchObject({ ...seed, owner: '_system', definition_id: expect.any(Number) })
      const one = await call('GET', `${system}/${seed.definition_handle}`, { key })
      expect(one.body).toEqual(found)
    }
    expect((await asAdmin('GET', system)).status).toBe(200)
    expect((await call('GET', system)).status).toBe(401)
    const { definitions } = body
    const services = await call('GET', '/v1/llm-services/_system', { key })
    expect([services.status, services.body]).toEqual([200, { instances: [], definitions }])
  })
})

it('definitions of a user are listed by handle', async () => {
  const { handle, key } = await newUser()
  const path = `/v1/llm-definitions/${handle}`
  for (const name of ['b', 'a', 'C']) await newDefinition({ handle, key }, name)
  const { definitions } = (await call('GET', path, { key })).body
  expect(definitions).toMatchObject(['C', 'a', 'b'].map((name) => ({ definition_handle: name })))
  expect((await call('GET', `${path}/b`, { key })).body).toEqual(definitions[2])
})

const pathOf = ({ handle }: User, instance = 'model') => `/v1/llm-services/${handle}/${instance}`
const small = { definition_owner: '_system', definition_handle: 'provider-a-small' }

describe('an instance from a definition', () => {
  it('inherits the fields of a definition of _system', async () => {
    const { put, get } = await newcomer()
    const created = await put({ instance_handle: 'model', ...small, api_key_encrypted: 'k' })
    expect(created.status).toBe(201)
    const definition = await asAdmin('GET', '/v1/llm-definitions/_system/provider-a-small')
    const { definition_id, endpoint, api_standard, model, dimensions } = definition.body
    const inherited = { definition_id, endpoint, api_standard, model, dimensions }
    expect(created.body).toMatchObject({ ...inherited, has_api_key: true })
    expect(await get()).toEqual(created.body)
    expect(Object.keys(created.body)).not.toContain('definition_handle')
  })

  it('may override any of them', async () => {
    const { put } = await newcomer()
    const own = { ...service, model: 'mine', dimensions: 5, api_standard: 'provider-b' }
    expect((await put({ ...small, ...own })).body).toMatchObject(own)
    const { body } = await put({ ...small, dimensions: 256 }, 'short')
    expect(body).toMatchObject({ dimensions: 256, model: 'small' })
  })

  it("may use one's own definitions, but not those of others", async () => {
    const { user, put } = await newcomer()
    const other = await newUser()
    const { definition: own } = await newDefinition(user, 'mine', { dimensions: 7 })
    await newDefinition(other, 'theirs')
    const from = (owner: string, definition_handle: string) => ({
      definition_owner: owner,
      definition_handle,
    })
    expect((await put(from(user.handle, 'mine'))).body).toMatchObject({
      definition_id: own.definition_id,
      dimensions: 7,
    })
    expect((await put(from(other.handle, 'theirs'), 'second')).status).toBe(403)
    const body = from(other.handle, 'theirs')
    expect((await asAdmin('PUT', pathOf(user, 'second'), { body })).status).toBe(201)
    expect((await put(from(user.handle, 'none'), 'third')).status).toBe(400)
    expect((await put(from('_system', 'none'), 'third')).status).toBe(400)
    expect((await asAdmin('PUT', pathOf(user, 'third'), { body: from('x', 'y') })).status).toBe(400)
  })

  it('must name owner and handle of the definition together', async () => {
    const { put } = await newcomer()
    const { definition_owner, definition_handle } = small
    expect((await put({ ...service, definition_owner })).status).toBe(400)
    expect((await put({ ...service, definition_handle })).status).toBe(400)
    await expectRefused(put, small, {
      definition_handle: [5, null, 'none', ...unstorable],
      definition_owner: [5, null, ...unstorable],
    })
  })

  it('stays as it is when the definition is changed or deleted', async () => {
    const { user, put, get } = await newcomer()
    const { path } = await newDefinition(user, 'mine')
    const reference = { definition_owner: user.handle, definition_handle: 'mine' }
    const { body } = await put(reference)
    await call('PATCH', path, { key: user.key, body: { model: 'new', dimensions: 9 } })
    expect(await get()).toEqual(body)
    expect((await call('DELETE', path, { key: user.key })).status).toBe(200)
    const { definition_id: _, ...rest } = body
    expect(await get()).toEqual(rest)
  })

  it('loses its provider key when it is made again of a definition that leads elsewhere by now', async () => {
    const { user, put } = await newcomer()
    const { path } = await newDefinition(user, 'mine')
    const reference = { definition_owner: user.handle, definition_handle: 'mine' }
    await put({ ...reference, api_key_encrypted: 'provider-secret' })
    const change = (body: object) => call('PATCH', path, { key: user.key, body })
    await change({ model: 'other' })
    expect((await put(reference)).body).toMatchObject({ model: 'other', has_api_key: true })
    await change({ endpoint: 'https://elsewhere.example/embed' })
    expect((await put(reference)).body).toMatchObject({
      endpoint: 'https://elsewhere.example/embed',
      has_api_key: false,
    })
  })

  it('stands alone after a PUT that names no definition', async () => {
    const { put } = await newcomer()
    await put(small)
    const { status, body } = await put(service)
    expect(status).toBe(200)
    expect(body).toMatchObject(service)
    expect(Object.keys(body)).not.toContain('definition_id')
  })
})
