import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { badHandles, expectRefused, oddHandles, unstorable } from '../../support/data/refusals.ts'
import { badService, newcomer, service } from '../../support/data/services.ts'
import type { User } from '../../support/factories.ts'

const pathOf = ({ handle }: User, instance = 'model') => `/v1/llm-services/${handle}/${instance}`
const required = ['endpoint', 'api_standard', 'model', 'dimensions']
const without = (field: string) =>
  Object.fromEntries(Object.entries(service).filter(([name]) => name !== field))

describe('an instance that stands alone', () => {
  it('is created whole and shown without its key', async () => {
    const { user, put, get } = await newcomer()
    const body = { instance_handle: 'model', ...service, description: 'For short texts' }
    const created = await put({ ...body, api_key_encrypted: 'provider-secret' })
    expect(created.status).toBe(201)
    const { instance_id } = created.body
    expect(Number.isSafeInteger(instance_id)).toBe(true)
    const shown = { ...body, instance_id, owner: user.handle, has_api_key: true }
    expect(created.body).toEqual(shown)
    expect(await get()).toEqual(shown)
  })

  it('needs neither description nor key nor its handle in the body', async () => {
    const { user, put } = await newcomer()
    const created = await put({ ...service, owner: 'somebody', instance_id: 987_654, nonsense: [] })
    const { instance_id } = created.body
    expect(created.body).toEqual({
      ...service,
      instance_id,
      instance_handle: 'model',
      owner: user.handle,
      has_api_key: false,
    })
    expect(instance_id).not.toBe(987_654)
  })

  it('needs endpoint, api_standard, model and dimensions', async () => {
    const { put } = await newcomer()
    for (const field of required) {
      const answer = await put(without(field))
      expect(answer.status, field).toBe(400)
      expect(answer.body.detail, field).toContain(field)
    }
    expect((await put({})).status).toBe(400)
  })

  it("refuses invalid fields, and another handle than the path's", async () => {
    const { put } = await newcomer()
    await expectRefused(put, service, {
      instance_handle: [...badHandles.filter((handle) => handle !== undefined), 'other', 'Model'],
      ...badService,
      api_key_encrypted: [5, {}, 'k'.repeat(10_001), ...unstorable],
    })
    for (const handle of oddHandles) {
      expect(await put(service, handle)).toMatchObject({ body: { instance_handle: handle } })
    }
    for (const handle of ['_mine', '.mine', 'h'.repeat(101), 'a%20b']) {
      expect((await put(service, handle)).status, handle).toBe(400)
    }
  })

  it('refuses an endpoint with a password, which it does not repeat', async () => {
    const { put } = await newcomer()
    const { status, body } = await put({ ...service, endpoint: 'https://u:pass-word@a.example/v1' })
    expect(status).toBe(400)
    expect(body.detail).toContain('must not hold a user name or a password')
    expect(JSON.stringify(body)).not.toContain('pass-word')
  })

  it('takes dimensions from 1 to 16,000', async () => {
    const { put } = await newcomer()
    for (const dimensions of [1, 16_000]) {
      const { body } = await put({ ...service, dimensions }, `d${dimensions}`)
      expect(body.dimensions).toBe(dimensions)
    }
  })
})

describe('the instances of a user', () => {
  it('are listed with those shared with him, by owner and handle', async () => {
    const { user, put } = await newcomer()
    const { user: other, put: putOther } = await newcomer()
    for (const handle of ['b', 'a', 'C']) await put(service, handle)
    await putOther(service)
    const share = { share_with_handle: user.handle, role: 'reader' }
    await call('POST', `${pathOf(other)}/share`, { key: other.key, body: share })
    const list = `/v1/llm-services/${user.handle}`
    const { status, body } = await call('GET', list, { key: user.key })
    expect(status).toBe(200)
    const names = body.instances.map(
      (each: { owner: string; instance_handle: string }) => `${each.owner}/${each.instance_handle}`,
    )
    const own = ['C', 'a', 'b'].map((handle) => `${user.handle}/${handle}`)
    const shared = `${other.handle}/model`
    expect(names).toEqual(other.handle < user.handle ? [shared, ...own] : [...own, shared])
    expect((await asAdmin('GET', list)).body).toEqual(body)
  })
})
