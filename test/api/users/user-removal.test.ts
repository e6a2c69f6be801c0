import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { searchBy } from '../../support/data/similars.ts'
import {
  addProject,
  embedding,
  newInstance,
  newLoan,
  newProject,
  newSharee,
  type Project,
  type User,
  upload,
} from '../../support/factories.ts'

const remove = ({ handle }: User) => asAdmin('DELETE', `/v1/users/${handle}`)
const recreate = async ({ handle }: User): Promise<User> => {
  const { status, body } = await asAdmin('PUT', `/v1/users/${handle}`, { body: {} })
  expect(status).toBe(201)
  return { handle, key: body.api_key }
}

/** A project with an embedding, whose instance belonged to a user who was deleted. */
async function detachedProject(): Promise<Project> {
  const { lender, owner } = await newLoan()
  const project = await addProject(owner, 'texts', { instance_owner: lender.handle })
  await upload(project, embedding('kept', [1, 0, 0]), embedding('near', [1, 0.1, 0]))
  expect((await remove(lender)).status).toBe(200)
  return project
}

describe('deleting a user', () => {
  it('leaves nothing to a later user of the same handle', async () => {
    const project = await newProject({ public_read: true })
    const { owner } = project
    await upload(project, embedding('a', [1, 0, 0]))
    const definition = { endpoint: 'https://a.example', api_standard: 'provider-a', model: 'm' }
    const path = `/v1/llm-definitions/${owner.handle}/mine`
    await call('PUT', path, { key: owner.key, body: { ...definition, dimensions: 3 } })
    await remove(owner)
    expect((await asAdmin('GET', project.path('embeddings'))).status).toBe(404)
    expect((await call('GET', `/v1/users/${owner.handle}`, { key: owner.key })).status).toBe(401)
    const { handle, key } = await recreate(owner)
    expect(key).not.toBe(owner.key)
    const get = async (at: string) => (await call('GET', at, { key })).body
    expect(await get(`/v1/projects/${handle}`)).toMatchObject({ projects: [], total_count: 0 })
    expect(await get(`/v1/llm-services/${handle}`)).toEqual({ instances: [] })
    expect(await get(`/v1/llm-definitions/${handle}`)).toEqual({ definitions: [] })
    await newInstance({ handle, key })
    const again = await addProject({ handle, key }, project.handle)
    expect(await get(again.path('embeddings'))).toMatchObject({ embeddings: [], total_count: 0 })
  })

  it('ends the shares that he gave and those that he had', async () => {
    const project = await newProject()
    const sharee = await newSharee(project, 'reader')
    const { owner } = project
    await remove(sharee)
    const { key } = await recreate(sharee)
    expect((await call('GET', project.path(), { key })).status).toBe(403)
    const shares = await call('GET', `${project.path()}/shared-with`, { key: owner.key })
    expect(shares.body.shared_with).toEqual([])
    const reader = await newSharee(project, 'reader')
    await remove(owner)
    const list = `/v1/projects/${reader.handle}?include_shared=true`
    expect((await call('GET', list, { key: reader.key })).body.total_count).toBe(0)
  })
})

describe('a project whose instance went with its owner', () => {
  it('stays with its embeddings, without the fields of the instance', async () => {
    const project = await detachedProject()
    const { key } = project.owner
    const shown = await call('GET', project.path(), { key })
    expect(shown.status).toBe(200)
    expect(Object.keys(shown.body).filter((name) => name.startsWith('instance'))).toEqual([])
    const [listed] = (await call('GET', `/v1/projects/${project.owner.handle}`, { key })).body
      .projects
    expect(listed).toEqual(shown.body)
    const stored = await call('GET', project.path('embeddings'), { key })
    expect(stored.body).toMatchObject({ total_count: 2, embeddings: [{ vector: [1, 0, 0] }, {}] })
    const similar = await call('GET', `${project.path('similars')}/kept`, { key })
    expect(similar).toMatchObject({ status: 200, body: { results: [{ id: 'near' }] } })
    const patched = await call('PATCH', project.path(), { key, body: { description: 'New' } })
    expect(patched.body).toEqual({ ...shown.body, description: 'New' })
  })

  it('takes neither uploads nor searches by vector', async () => {
    const project = await detachedProject()
    const { key } = project.owner
    const items = { embeddings: [embedding('new', [1, 0, 0])] }
    const uploaded = await call('POST', project.path('embeddings'), { key, body: items })
    expect(uploaded.status).toBe(400)
    expect((await searchBy(project, [1, 0, 0])).status).toBe(400)
  })

  it('goes on when PUT gives it an instance that fits the embeddings', async () => {
    const project = await detachedProject()
    const { owner } = project
    const { key } = owner
    await newInstance(owner)
    await newInstance(owner, { dimensions: 4 }, 'wide')
    const put = (instance_handle: string) =>
      call('PUT', project.path(), { key, body: { instance_owner: owner.handle, instance_handle } })
    expect((await put('wide')).status).toBe(409)
    expect(await put('model')).toMatchObject({ status: 200, body: { instance_handle: 'model' } })
    await upload(project, embedding('new', [0, 1, 0]))
    expect((await searchBy(project, [0, 1, 0])).body.results).toMatchObject([{ id: 'new' }])
  })
})
