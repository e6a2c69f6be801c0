import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { service } from '../../support/data/services.ts'
import {
  addProject,
  embedding,
  newInstance,
  newLoan,
  newProject,
  newUser,
  type Project,
  type User,
  upload,
} from '../../support/factories.ts'

const pathOf = ({ handle }: User) => `/v1/llm-services/${handle}/model`

/** The two ways of changing the instance `model` of a user. */
const changers = ({ handle, key }: User) => {
  const path = pathOf({ handle, key })
  return {
    put: (body: object, query = '') =>
      call('PUT', path + query, { key, body: { ...service, ...body } }),
    patch: (body: object, query = '') => call('PATCH', path + query, { key, body }),
    get: async () => (await call('GET', path, { key })).body,
  }
}

describe('changing an instance', () => {
  it('keeps its provider key in PUT and PATCH, until another or null is sent', async () => {
    const user = await newUser()
    const { instance_id } = await newInstance(user, { api_key_encrypted: 'provider-secret' })
    const { put, patch, get } = changers(user)
    for (const by of [put, patch]) {
      const { body } = await by({ model: 'new', dimensions: 4 })
      expect(body).toMatchObject({ instance_id, model: 'new', dimensions: 4, has_api_key: true })
    }
    expect((await patch({ api_key_encrypted: null })).body.has_api_key).toBe(false)
    expect((await patch({ api_key_encrypted: 'new' })).body.has_api_key).toBe(true)
    expect((await get()).has_api_key).toBe(true)
  })

  it.each([{ endpoint: 'https://provider-a.example/elsewhere' }, { api_standard: 'provider-c' }])(
    'to %j drops the provider key, unless a new one comes along',
    async (change) => {
      const user = await newUser()
      await newInstance(user, { api_key_encrypted: 'first' })
      const { put, patch } = changers(user)
      for (const by of [put, patch]) {
        expect((await by({ ...change, api_key_encrypted: 'second' })).body.has_api_key).toBe(true)
        expect((await by({ ...change, description: 'Still there' })).body.has_api_key).toBe(true)
        const back = { endpoint: service.endpoint, api_standard: service.api_standard }
        expect((await by(back)).body).toMatchObject({ ...back, has_api_key: false })
        expect((await by({ ...back, api_key_encrypted: 'third' })).body.has_api_key).toBe(true)
        expect((await by(change)).body).toMatchObject({ ...change, has_api_key: false })
      }
    },
  )

  it('refuses an endpoint with a password, which it does not repeat', async () => {
    const { put } = changers(await newUser())
    const { status, body } = await put({ endpoint: 'https://u:pass-word@a.example/v1' })
    expect(status).toBe(400)
    expect(body.detail).toContain('must not hold a user name or a password')
    expect(JSON.stringify(body)).not.toContain('pass-word')
  })

  it('never shows a provider key, in whatever answer', async () => {
    const user = await newUser()
    const { key } = user
    const { put, patch, get } = changers(user)
    const secret = { api_key_encrypted: 'provider-secret' }
    const answers = [
      await put(secret),
      await put(secret),
      await patch(secret),
      await get(),
      await call('GET', `/v1/llm-services/${user.handle}`, { key }),
      await put({ ...secret, dimensions: 0 }),
      await patch({ api_key_encrypted: ['provider-secret'] }),
      await put({ ...secret, api_standard: 'none' }),
      await put({ api_key_encrypted: 'provider-secret'.repeat(1_000) }),
      await call('PUT', pathOf(user), { key, raw: '{"api_key_encrypted": "provider-secret" "x"' }),
    ]
    for (const answer of answers) {
      expect(JSON.stringify(answer)).not.toContain('provider-secret')
      expect(JSON.stringify(answer)).not.toMatch(/sealed|api_key_encrypted":/)
    }
  })
})

describe('an instance with stored embeddings', () => {
  const filled = async (): Promise<Project> => {
    const project = await newProject()
    await upload(project, embedding('a', [1, 0, 0]))
    return project
  }

  it('keeps its dimensions', async () => {
    const { owner } = await filled()
    const { put, patch, get } = changers(owner)
    const before = await get()
    for (const change of [put, patch]) {
      expect((await change({ dimensions: 4 })).status).toBe(409)
      expect((await change({ dimensions: 4 }, '?force=true')).status).toBe(409)
      expect((await change({ dimensions: 3, description: 'New' })).status).toBe(200)
    }
    expect(await get()).toEqual({ ...before, description: 'New' })
  })

  it.each([{ model: 'large' }, { endpoint: 'https://provider-b.example/embed' }])(
    'changes %j by force only',
    async (change) => {
      const { owner } = await filled()
      const { put, patch, get } = changers(owner)
      const before = await get()
      for (const by of [put, patch]) {
        expect((await by(change)).status).toBe(409)
        expect((await by(change, '?force=false')).status).toBe(409)
        expect((await by(change, '?force=yes')).status).toBe(400)
        expect(await get()).toEqual(before)
        const forced = await by(change, '?force=true')
        expect(forced).toMatchObject({ status: 200, body: change })
        expect((await put({}, '?force=true')).body).toEqual(before)
      }
    },
  )

  it('changes freely in everything else', async () => {
    const { owner } = await filled()
    const other = { description: 'New', api_key_encrypted: 'k', api_standard: 'provider-b' }
    const { put, patch } = changers(owner)
    expect((await put(other)).status).toBe(200)
    expect((await patch(other)).status).toBe(200)
  })

  it('counts embeddings in projects of others, and no longer those that were deleted', async () => {
    const { lender, owner: borrower } = await newLoan()
    const project = await addProject(borrower, 'texts', { instance_owner: lender.handle })
    const { patch } = changers(lender)
    expect((await patch({ dimensions: 4 })).status).toBe(200)
    await upload(project, embedding('a', [1, 0, 0, 0]))
    expect((await patch({ dimensions: 3 })).status).toBe(409)
    await call('DELETE', `${project.path('embeddings')}/a`, { key: borrower.key })
    expect((await patch({ dimensions: 3 })).status).toBe(200)
    await upload(project, embedding('a', [1, 0, 0]))
  })
})

describe('deleting an instance', () => {
  it('is refused while projects use it, with their number', async () => {
    const { owner } = await newProject()
    const { key } = owner
    const second = await addProject(owner, 'second')
    const refused = await call('DELETE', pathOf(owner), { key })
    expect(refused.status).toBe(409)
    expect(refused.body.detail).toMatch(/^Cannot delete .* in use by 2 projects$/)
    await call('DELETE', second.path(), { key })
    await call('DELETE', `/v1/projects/${owner.handle}/texts`, { key })
    expect((await call('DELETE', pathOf(owner), { key })).status).toBe(200)
  })
})
