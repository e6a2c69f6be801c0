import { beforeEach, describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { badSharees, expectRefused } from '../../support/data/refusals.ts'
import {
  addProject,
  embedding,
  newInstance,
  newUser,
  type User,
  upload,
} from '../../support/factories.ts'

let owner: User
let friend: User
let name: string
let path: string

beforeEach(async () => {
  owner = await newUser('owner')
  friend = await newUser('friend')
  await newInstance(owner, { api_key_encrypted: 'provider-secret' })
  name = `${owner.handle}/model`
  path = `/v1/llm-services/${name}`
})

const share = (body: object) => call('POST', `${path}/share`, { key: owner.key, body })
const shareWith = (user: User, role = 'reader') => share({ share_with_handle: user.handle, role })
const unshare = ({ handle }: User, { key } = owner) =>
  call('DELETE', `${path}/share/${handle}`, { key })
const shares = async () => (await call('GET', `${path}/shared-with`, { key: owner.key })).body

describe('sharing an instance', () => {
  it('is answered with what was shared, and listed by user', async () => {
    const created = await shareWith(friend)
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      message: expect.any(String),
      instance: name,
      shared_with: friend.handle,
      role: 'reader',
    })
    const another = await newUser('a-friend')
    expect((await shareWith(another, 'editor')).status).toBe(201)
    expect(await shares()).toEqual({
      instance: name,
      shared_with: [
        { user_handle: another.handle, role: 'editor' },
        { user_handle: friend.handle, role: 'reader' },
      ],
    })
  })

  it('again changes the role', async () => {
    await shareWith(friend)
    const changed = await shareWith(friend, 'editor')
    expect(changed).toMatchObject({ status: 200, body: { role: 'editor' } })
    expect((await shares()).shared_with).toEqual([{ user_handle: friend.handle, role: 'editor' }])
    expect((await shareWith(friend, 'editor')).status).toBe(200)
  })

  it('is not possible with the owner, _system, everybody or as owner', async () => {
    for (const handle of [owner.handle, '_system', '*']) {
      const answer = await share({ share_with_handle: handle, role: 'reader' })
      expect(answer.status, handle).toBe(400)
    }
    const valid = { share_with_handle: friend.handle, role: 'reader' }
    await expectRefused(share, valid, badSharees)
    const unknown = await share({ ...valid, share_with_handle: 'no-such-user' })
    const detail = "User 'no-such-user' not found"
    expect(unknown).toMatchObject({ status: 404, body: { detail } })
    expect((await shares()).shared_with).toHaveLength(1)
  })

  it('lets readers and editors see it without its key, and use it in projects', async () => {
    for (const role of ['reader', 'editor']) {
      await shareWith(friend, role)
      const seen = await call('GET', path, { key: friend.key })
      expect(seen).toMatchObject({ status: 200, body: { has_api_key: true, owner: owner.handle } })
      expect(JSON.stringify(seen.body)).not.toContain('secret')
      const project = await addProject(friend, `texts-${role}`, { instance_owner: owner.handle })
      await upload(project, embedding('a', [1, 0, 0]))
      const body = { description: 'Mine now', model: 'other' }
      expect((await call('PATCH', path, { key: friend.key, body })).status).toBe(403)
    }
  })

  it('does not open projects that others make with it', async () => {
    await shareWith(friend)
    const project = await addProject(friend, 'texts', { instance_owner: owner.handle })
    expect((await call('GET', project.path(), { key: owner.key })).status).toBe(403)
  })
})

describe('ending the share of an instance', () => {
  it('is answered with the user who was removed, and 404 without a share', async () => {
    await shareWith(friend)
    const removed = await unshare(friend)
    expect(removed.status).toBe(200)
    const body = { message: expect.any(String), instance: name, removed_user: friend.handle }
    expect(removed.body).toEqual(body)
    expect((await unshare(friend)).status).toBe(404)
    expect((await unshare(owner)).status).toBe(404)
    expect((await unshare({ handle: 'no-such-user', key: '' })).status).toBe(404)
    expect((await call('GET', path, { key: friend.key })).status).toBe(403)
    const list = await call('GET', `/v1/llm-services/${friend.handle}`, { key: friend.key })
    expect(list.body).toEqual({ instances: [] })
  })

  it('refuses new references, and breaks no project that uses the instance', async () => {
    await shareWith(friend)
    const reference = { instance_owner: owner.handle, instance_handle: 'model' }
    const project = await addProject(friend, 'texts', reference)
    await unshare(friend)
    await upload(project, embedding('a', [1, 0, 0]), embedding('b', [1, 0, 0]))
    const { key } = friend
    const body = { vector: [1, 0, 0] }
    expect((await call('POST', project.path('similars'), { key, body })).status).toBe(200)
    const put = (path: string) =>
      call('PUT', path, { key, body: { ...reference, public_read: true } })
    expect(await put(project.path())).toMatchObject({ status: 200, body: { public_read: true } })
    expect((await put(`${project.path()}-2`)).status).toBe(403)
    const asked = await asAdmin('PUT', `${project.path()}-2`, { body: reference })
    expect(asked.status).toBe(201)
  })
})
