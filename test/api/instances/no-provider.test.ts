import { expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { found, search } from '../../support/data/similars.ts'
import { exported, importFile } from '../../support/exports.ts'
import {
  addProject,
  embedding,
  newInstance,
  newProject,
  newSharee,
  newUser,
  projectNamed,
  upload,
} from '../../support/factories.ts'
import { startProvider } from '../../support/servers/embedding-provider.ts'

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
