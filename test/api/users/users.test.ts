import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { users } from '../../../src/db/schema.ts'
import { hashKey } from '../../../src/secrets/keys.ts'
import { createSealer } from '../../../src/secrets/sealing.ts'
import { adminKey, serviceOn, testApp } from '../../support/app.ts'
import { asAdmin, call } from '../../support/client.ts'
import { send } from '../../support/data/embeddings.ts'
import { searchBy } from '../../support/data/similars.ts'
import {
  addProject,
  embedding,
  newDefinition,
  newInstance,
  newLoan,
  newProject,
  newSharee,
  newUser,
  type Project,
  type User,
  unique,
  upload,
} from '../../support/factories.ts'
import { watch } from '../../support/secrets/watch.ts'

const isAccepted = async (handle: string, key: string) => {
  const { status } = await call('GET', `/v1/users/${handle}`, { key })
  expect([200, 401]).toContain(status)
  return status === 200
}

it('rotating a key stops the old key at once, and the user goes on with the new one', async () => {
  const { handle, key } = await newUser()
  const path = `/v1/users/${handle}`
  await call('PATCH', path, { key, body: { name: 'Alice' } })
  const rotated = await call('POST', `${path}/rotate-key`, { key })
  expect(rotated.status).toBe(200)
  const newKey: string = rotated.body.api_key
  expect(rotated.body).toEqual({ user_handle: handle, name: 'Alice', api_key: newKey })
  expect(newKey).toMatch(/^smb_[\w-]{49}$/)
  expect(newKey).not.toBe(key)
  expect(await isAccepted(handle, key)).toBe(false)
  expect(await isAccepted(handle, newKey)).toBe(true)
  const put = await asAdmin('PUT', path, { body: { name: 'Alice' } })
  expect(put).toMatchObject({ status: 200, body: { api_key: newKey } })
})

it('a key of the first versions, without a checksum, stays valid', async () => {
  const { handle, key } = await newUser()
  const { database } = await testApp()
  const older = key.slice(0, -6)
  await database.short.db
    .update(users)
    .set({ keyHash: hashKey(older) })
    .where(eq(users.handle, handle))
  expect(await isAccepted(handle, older)).toBe(true)
  expect(await isAccepted(handle, key)).toBe(false)
})

describe('a server whose ENCRYPTION_KEY was rotated meanwhile', () => {
  const outdated = async () => {
    const { database } = await testApp()
    const sealer = createSealer('an-encryption-key-that-is-outdated')
    const app = watch.app(serviceOn(database, { sealer }).app)
    return async (method: string, path: string, body: object) => {
      const headers = { Authorization: `Bearer ${adminKey}` }
      const answer = await app.request(path, { method, headers, body: JSON.stringify(body) })
      return answer.status
    }
  }

  it('seals nothing, and does what needs no sealing', async () => {
    const user = await newUser()
    await newInstance(user, { api_key_encrypted: 'provider-secret' })
    const request = await outdated()
    const [path, instance] = [`/v1/users/${user.handle}`, `/v1/llm-services/${user.handle}/model`]
    const handle = unique('user')
    expect(await request('POST', '/v1/users', { user_handle: handle })).toBe(503)
    expect(await request('PUT', `/v1/users/${handle}`, {})).toBe(503)
    expect((await asAdmin('GET', `/v1/users/${handle}`)).status).toBe(404)
    expect(await request('PUT', path, { name: 'New' })).toBe(503)
    expect(await request('POST', `${path}/rotate-key`, {})).toBe(503)
    expect(await request('PATCH', instance, { api_key_encrypted: 'new', model: 'new' })).toBe(503)
    expect((await asAdmin('GET', instance)).body.model).toBe('small')
    expect(await isAccepted(user.handle, user.key)).toBe(true)

    expect(await request('PATCH', path, { name: 'New' })).toBe(200)
    expect(await request('PATCH', instance, { model: 'new' })).toBe(200)
    expect(await request('PATCH', instance, { api_key_encrypted: null })).toBe(200)
    const put = await asAdmin('PUT', path, { body: {} })
    expect(put.body.api_key).toBe(user.key)
  })
})

describe('users', () => {
  it('are listed by handle in byte order, without _system', async () => {
    const handle = unique('list')
    const upper = handle.toUpperCase()
    for (const user of [handle, upper]) await asAdmin('PUT', `/v1/users/${user}`, { body: {} })
    const { status, body } = await asAdmin('GET', '/v1/users')
    expect(status).toBe(200)
    expect(body.users).toEqual(expect.arrayContaining([handle, upper]))
    expect(body.users).toEqual(body.users.toSorted())
    expect(body.users).not.toContain('_system')
  })

  it('named admin or public are ordinary users', async () => {
    for (const handle of ['admin', 'public']) {
      const created = await asAdmin('PUT', `/v1/users/${handle}`, { body: {} })
      expect(created.status, handle).toBe(201)
      const listed = await call('GET', '/v1/users', { key: created.body.api_key })
      expect(listed.status, handle).toBe(403)
      expect(await asAdmin('DELETE', `/v1/users/${handle}`)).toMatchObject({ status: 200 })
    }
  })
})

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
    await newDefinition(owner, 'mine')
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
    const ofInstance = /^(instance|model|dimensions)/
    expect(Object.keys(shown.body).filter((name) => ofInstance.test(name))).toEqual([])
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
    const { status, body } = await send(project, embedding('new', [1, 0, 0]))
    expect(status).toBe(400)
    expect(body.detail).toContain(`Project '${project.owner.handle}/texts' has no LLM`)
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
