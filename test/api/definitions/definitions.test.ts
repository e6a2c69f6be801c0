import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { service } from '../../support/data/services.ts'
import { newUser } from '../../support/factories.ts'

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
  it('are listed by handle', async () => {
    const { handle, key } = await newUser()
    const path = `/v1/llm-definitions/${handle}`
    for (const name of ['b', 'a', 'C']) {
      await call('PUT', `${path}/${name}`, { key, body: service })
    }
    const { definitions } = (await call('GET', path, { key })).body
    expect(definitions).toMatchObject(['C', 'a', 'b'].map((name) => ({ definition_handle: name })))
    expect((await call('GET', `${path}/b`, { key })).body).toEqual(definitions[2])
  })
})
