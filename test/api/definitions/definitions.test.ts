import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { badHandles, expectRefused, oddHandles } from '../../support/data/refusals.ts'
import { badService, service } from '../../support/data/services.ts'
import { newUser, type User } from '../../support/factories.ts'

const pathOf = ({ handle }: User) => `/v1/llm-definitions/${handle}`
const system = '/v1/llm-definitions/_system'
const required = ['endpoint', 'api_standard', 'model', 'dimensions']

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
  })

  it('are also listed as the services of _system', async () => {
    const { key } = await newUser()
    const { status, body } = await call('GET', '/v1/llm-services/_system', { key })
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['definitions', 'instances'])
    expect(body.instances).toEqual([])
    const handles = body.definitions.map((each: { definition_handle: string }) => {
      return each.definition_handle
    })
    expect(handles).toEqual(expect.arrayContaining(['provider-a-large', 'provider-b-v4']))
  })
})

describe('definitions of a user', () => {
  it('are created, shown and listed by handle', async () => {
    const user = await newUser()
    const { key } = user
    const body = { definition_handle: 'b', ...service, description: 'For short texts' }
    const created = await call('POST', pathOf(user), { key, body })
    expect(created.status).toBe(201)
    const definition_id = created.body.definition_id
    expect(created.body).toEqual({ ...body, definition_id, owner: user.handle })
    expect(Number.isSafeInteger(definition_id)).toBe(true)
    expect((await call('GET', `${pathOf(user)}/b`, { key })).body).toEqual(created.body)
    for (const handle of ['a', 'C']) {
      await call('PUT', `${pathOf(user)}/${handle}`, { key, body: service })
    }
    const { definitions } = (await call('GET', pathOf(user), { key })).body
    const handles = definitions.map((each: typeof body) => each.definition_handle)
    expect(handles).toEqual(['C', 'a', 'b'])
    expect(definitions[2]).toEqual(created.body)
  })

  it('have handles that are unique within the owner', async () => {
    const user = await newUser()
    const body = { definition_handle: 'mine', ...service }
    const post = ({ handle, key }: User) => call('POST', pathOf({ handle, key }), { key, body })
    expect((await post(user)).status).toBe(201)
    const detail = `LLM service definition '${user.handle}/mine' already exists`
    expect(await post(user)).toMatchObject({ status: 409, body: { detail } })
    expect((await post(await newUser())).status).toBe(201)
  })

  it('refuse what is missing or invalid', async () => {
    const user = await newUser()
    const { key } = user
    const valid = { definition_handle: 'mine', ...service }
    await expectRefused((body) => call('POST', pathOf(user), { key, body }), valid, {
      definition_handle: badHandles,
      ...badService,
      ...Object.fromEntries(required.map((field) => [field, [undefined, null]])),
    })
    for (const handle of oddHandles) {
      const put = await call('PUT', `${pathOf(user)}/${handle}`, { key, body: service })
      expect(put, handle).toMatchObject({ status: 201, body: { definition_handle: handle } })
    }
  })

  it('hold no key, and ignore unknown fields', async () => {
    const user = await newUser()
    const { key } = user
    const body = {
      ...service,
      api_key_encrypted: 'provider-secret',
      definition_id: 987_654,
      owner: 'x',
    }
    const created = await call('PUT', `${pathOf(user)}/mine`, { key, body })
    expect(created.status).toBe(201)
    expect(JSON.stringify(created.body)).not.toContain('secret')
    expect(created.body).toMatchObject({ owner: user.handle })
    expect(created.body.definition_id).not.toBe(987_654)
  })

  it('are replaced by PUT', async () => {
    const user = await newUser()
    const { key } = user
    const put = (body: object) => call('PUT', `${pathOf(user)}/mine`, { key, body })
    const created = await put({ ...service, description: 'Old' })
    expect(created.status).toBe(201)
    const replaced = await put({ definition_handle: 'mine', ...service, dimensions: 4 })
    expect(replaced.status).toBe(200)
    const { description: _, ...rest } = created.body
    expect(replaced.body).toEqual({ ...rest, dimensions: 4 })
    expect((await call('GET', `${pathOf(user)}/mine`, { key })).body).toEqual(replaced.body)
    await expectRefused(put, service, {
      definition_handle: ['yours', 'Mine', 5],
      ...badService,
      ...Object.fromEntries(required.map((field) => [field, [undefined]])),
    })
  })

  it('are changed by PATCH in the given fields only', async () => {
    const user = await newUser()
    const { key } = user
    const path = `${pathOf(user)}/mine`
    const patch = (body: object) => call('PATCH', path, { key, body })
    const created = await call('PUT', path, { key, body: { ...service, description: 'Old' } })
    const patched = await patch({ definition_handle: 'mine', dimensions: 16_000 })
    expect(patched.status).toBe(200)
    expect(patched.body).toEqual({ ...created.body, dimensions: 16_000 })
    expect((await patch({})).body).toEqual(patched.body)
    const { description: _, ...rest } = patched.body
    expect((await patch({ description: null })).body).toEqual(rest)
    expect((await call('GET', path, { key })).body).toEqual(rest)
    const nulls = Object.fromEntries(required.map((field) => [field, [null]]))
    await expectRefused(patch, {}, { definition_handle: ['yours', null], ...badService, ...nulls })
  })

  it('are deleted with a message, and then not found', async () => {
    const user = await newUser()
    const { key } = user
    const path = `${pathOf(user)}/mine`
    await call('PUT', path, { key, body: service })
    const deleted = await call('DELETE', path, { key })
    expect(deleted.status).toBe(200)
    expect(deleted.body).toEqual({ message: expect.stringContaining(`${user.handle}/mine`) })
    const detail = `LLM service definition '${user.handle}/mine' not found`
    const problem = { status: 404, body: { detail } }
    expect(await call('GET', path, { key })).toMatchObject(problem)
    expect(await call('PATCH', path, { key, body: {} })).toMatchObject(problem)
    expect(await call('DELETE', path, { key })).toMatchObject(problem)
  })
})
