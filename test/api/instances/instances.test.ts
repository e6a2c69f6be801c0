import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { refusal } from '../../support/data/refusals.ts'
import { service } from '../../support/data/services.ts'
import { found, search } from '../../support/data/similars.ts'
import { exported, importFile } from '../../support/exports.ts'
import {
  addProject,
  embedding,
  newInstance,
  newKey,
  newLoan,
  newProject,
  newSharee,
  newUser,
  type Project,
  projectNamed,
  type User,
  upload,
} from '../../support/factories.ts'
import { watch } from '../../support/secrets/watch.ts'
import { answerJson, startProvider } from '../../support/servers/embedding-provider.ts'

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
    const { put, patch } = changers(user)
    const secret = { api_key_encrypted: 'provider-secret' }
    const answers = [
      await put(secret),
      await patch(secret),
      await call('GET', `/v1/llm-services/${user.handle}`, { key }),
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

it('deleting an instance is refused while projects use it, with their number', async () => {
  const { owner } = await newProject()
  const { key } = owner
  const second = await addProject(owner, 'second')
  expect(await call('DELETE', pathOf(owner), { key })).toMatchObject(
    refusal(409, /^Cannot delete .* in use by 2 projects$/),
  )
  await call('DELETE', second.path(), { key })
  await call('DELETE', `/v1/projects/${owner.handle}/texts`, { key })
  expect((await call('DELETE', pathOf(owner), { key })).status).toBe(200)
})

/** The second is what clients up to 0.2 sent. */
const none = ['none', 'https://endpoint.invalid/']

it.each(none)('%s is shown as sent, and the project says that it has no provider', async (none) => {
  const user = await newUser()
  expect(await newInstance(user, { endpoint: none })).toMatchObject({ endpoint: none })
  const project = await addProject(user, 'texts', { text_queries: 'members' })
  const reader = await newSharee(project, 'reader')
  for (const { key } of [user, reader]) {
    const { body } = await call('GET', project.path(), { key })
    expect(body.embeds_texts).toBe(false)
    expect(JSON.stringify(body)).not.toContain(none)
  }
  const { body: me } = await call('GET', '/v1/me', { key: user.key })
  expect(me.projects).toMatchObject([{ project_handle: 'texts', embeds_texts: false }])
})

it.each(none)('with %s, texts are not embedded, which names the true cause', async (none) => {
  const project = await newProject({ text_queries: 'members' }, { endpoint: none })
  const { key } = project.owner
  await upload(project, embedding('a', [1, 0, 0], { text: 'north' }))
  const refused = {
    status: 400,
    body: { detail: expect.stringContaining('no embedding provider') },
  }
  expect(await search(project, { text: 'north' })).toMatchObject(refused)
  const wordless = {
    key,
    body: { embeddings: [{ text_id: 'b', instance_handle: 'model', vector_dim: 3, text: 'b' }] },
  }
  const embed = `${project.path('embeddings')}?embed=true`
  expect(await call('POST', embed, wordless)).toMatchObject(refused)
  expect(await found(project, { words: 'north' })).toMatchObject([{ id: 'a' }])
})

it('becomes one with a provider by an endpoint, and the other way round', async () => {
  const provider = await startProvider()
  const project = await newProject({ text_queries: 'members' }, { endpoint: 'none', dimensions: 2 })
  const { owner } = project
  const { key } = owner
  const change = (endpoint: string, force = '') =>
    call('PATCH', `/v1/llm-services/${owner.handle}/model${force}`, { key, body: { endpoint } })
  const embedsTexts = async () => (await call('GET', project.path(), { key })).body.embeds_texts
  expect((await change(provider.url)).status).toBe(200)
  expect(await embedsTexts()).toBe(true)
  await upload(project, embedding('n', [0, 1]))
  expect((await search(project, { text: 'north' })).status).toBe(200)
  // Vectors of two models must not mix unnoticed.
  expect((await change('none')).status).toBe(409)
  expect((await change('none', '?force=true')).body).toMatchObject({ endpoint: 'none' })
  expect(await embedsTexts()).toBe(false)
  expect((await search(project, { text: 'north' })).status).toBe(400)
})

it('loses the key of the provider with its endpoint', async () => {
  const user = await newUser()
  await newInstance(user, { api_key_encrypted: 'provider-secret' })
  const path = `/v1/llm-services/${user.handle}/model`
  const { body } = await call('PATCH', path, { key: user.key, body: { endpoint: 'none' } })
  expect(body).toMatchObject({ endpoint: 'none', has_api_key: false })
})

it('is imported into an instance without a provider, however that is said', async () => {
  for (const [of, into] of [none, none.toReversed()]) {
    const file = await exported(await newProject({}, { endpoint: of }), 'format=semblance')
    const owner = await newUser()
    await newInstance(owner, { endpoint: into })
    expect((await importFile(projectNamed(owner, 'copy'), file)).status).toBe(200)
  }
})

it('is overridden by no definition', async () => {
  const user = await newUser()
  const reference = { definition_owner: '_system', definition_handle: 'provider-a-small' }
  const body = { ...reference, endpoint: 'none' }
  const { body: made } = await asAdmin('PUT', `/v1/llm-services/${user.handle}/own`, { body })
  expect(made).toMatchObject({ endpoint: 'none', dimensions: 1536 })
})

const test = (user: User, key = user.key) => call('POST', `${pathOf(user)}/test`, { key })

/** Answers one vector of so many dimensions, whatever is asked. */
const answering = (dimensions: number) =>
  startProvider((response) =>
    answerJson(response, 200, { data: [{ embedding: Array(dimensions).fill(1) }] }),
  )

it('embeds one word as searches do, and tells how long the vector is', async () => {
  const provider = await answering(384)
  const user = await newUser()
  const api_key_encrypted = 'provider-secret-of-the-test'
  watch.secrets.add(api_key_encrypted)
  const given = { endpoint: provider.url, dimensions: 1, model: 'm', query_prefix: 'query: ' }
  await newInstance(user, { ...given, api_key_encrypted })
  expect(await test(user)).toMatchObject({ status: 200, body: { dimensions: 384 } })
  expect(provider.received).toMatchObject([
    {
      headers: { authorization: `Bearer ${api_key_encrypted}` },
      body: { model: 'm', input: ['query: test'] },
    },
  ])
  expect(provider.received[0]?.body).not.toHaveProperty('dimensions')
  // The administrator may change it, so he may test it.
  expect((await asAdmin('POST', `${pathOf(user)}/test`)).body).toEqual({ dimensions: 384 })
  expect((await call('GET', pathOf(user), { key: user.key })).body).toMatchObject({ dimensions: 1 })
})

it('says what is wrong: no endpoint, no permission, no answer, another answer', async () => {
  const user = await newUser()
  await newInstance(user, { endpoint: 'none' })
  const because = (status: number, detail: string) => ({
    status,
    body: { detail: expect.stringContaining(detail) },
  })
  const on = async (endpoint: string) => {
    const body = { endpoint, api_key_encrypted: 'k' }
    await call('PATCH', pathOf(user), { key: user.key, body })
    return test(user)
  }
  expect(await test(user)).toMatchObject(because(400, 'has no endpoint'))
  expect(await on('http://10.0.0.1:1/')).toMatchObject(because(403, 'SERVICE_EMBEDDINGHOSTS'))
  expect(await on('http://127.0.0.1:1/')).toMatchObject(because(502, 'ECONNREFUSED'))
  const { url } = await startProvider((response) =>
    answerJson(response, 404, { error: { message: 'model "m" not found, try pulling it' } }),
  )
  expect(await on(url)).toMatchObject(because(502, 'try pulling it'))
  expect(await on((await answering(0)).url)).toMatchObject(because(502, 'no direction'))
})

it('is told which hosts may be asked, with any key and never without', async () => {
  const user = await newUser()
  for (const key of [user.key, await newKey(user)]) {
    const { body } = await call('GET', '/v1/me', { key })
    expect(body.embedding_hosts).toEqual(['127.0.0.0/8'])
  }
  expect((await call('GET', '/v1/me')).status).toBe(401)
})
