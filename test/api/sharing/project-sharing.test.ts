import { beforeEach, describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { badSharees, expectRefused } from '../../support/data/refusals.ts'
import { newProject, newUser, type Project, type User } from '../../support/factories.ts'

let project: Project
let friend: User

beforeEach(async () => {
  project = await newProject()
  friend = await newUser('friend')
})

const nameOf = ({ owner, handle }: Project) => `${owner.handle}/${handle}`
const share = (body: object) =>
  call('POST', `${project.path()}/share`, { key: project.owner.key, body })
const shareWith = ({ handle }: User, role = 'reader') => share({ share_with_handle: handle, role })
const unshare = (handle: string, { key } = project.owner) =>
  call('DELETE', `${project.path()}/share/${handle}`, { key })
const shares = async () => {
  const { status, body } = await call('GET', `${project.path()}/shared-with`, {
    key: project.owner.key,
  })
  expect(status).toBe(200)
  expect(body.project).toBe(nameOf(project))
  return body.shared_with
}

describe('sharing a project', () => {
  it('lets every one of very many read, the last as well as the first', async () => {
    const readers: User[] = []
    for (let number = 0; number < 200; number += 1) {
      const reader = await newUser('reader')
      expect((await shareWith(reader)).status).toBe(201)
      readers.push(reader)
    }
    const statuses = readers.map(async ({ key }) => {
      const { status } = await call('GET', project.path('embeddings'), { key })
      return status
    })
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
    expect(await shares()).toHaveLength(200)
  })

  it('is answered with what was shared, and listed by user', async () => {
    const created = await shareWith(friend)
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      message: expect.any(String),
      project: nameOf(project),
      shared_with: friend.handle,
      role: 'reader',
    })
    const another = await newUser('a-friend')
    expect((await shareWith(another, 'editor')).status).toBe(201)
    expect(await shares()).toEqual([
      { user_handle: another.handle, role: 'editor' },
      { user_handle: friend.handle, role: 'reader' },
    ])
  })

  it('again changes the role, and what the user may do', async () => {
    await shareWith(friend)
    const path = `${project.path('embeddings')}/none`
    const remove = () => call('DELETE', path, { key: friend.key })
    expect((await remove()).status).toBe(403)
    expect(await shareWith(friend, 'editor')).toMatchObject({
      status: 200,
      body: { role: 'editor' },
    })
    expect(await shares()).toEqual([{ user_handle: friend.handle, role: 'editor' }])
    expect((await remove()).status).toBe(404)
    expect((await shareWith(friend, 'reader')).status).toBe(200)
    expect((await remove()).status).toBe(403)
  })

  it('is not possible with the owner, _system or everybody', async () => {
    for (const handle of [project.owner.handle, '_system', '*']) {
      const answer = await share({ share_with_handle: handle, role: 'reader' })
      expect(answer.status, handle).toBe(400)
      if (handle === '*') expect(answer.body.detail).toContain('public_read')
    }
    expect(await shares()).toEqual([])
  })

  it('refuses other roles, and users that do not exist', async () => {
    const valid = { share_with_handle: friend.handle, role: 'reader' }
    await expectRefused(share, valid, badSharees)
    const capital = friend.handle.replace('f', 'F')
    for (const handle of ['no-such-user', 'no user', capital]) {
      const detail = `User '${handle}' not found`
      const answer = await share({ ...valid, share_with_handle: handle })
      expect(answer, handle).toMatchObject({ status: 404, body: { detail } })
    }
    expect(await shares()).toHaveLength(1)
  })
})

describe('ending the share of a project', () => {
  it('is answered with the user who was removed, and ends his access', async () => {
    await shareWith(friend)
    expect((await call('GET', project.path(), { key: friend.key })).status).toBe(200)
    const removed = await unshare(friend.handle)
    expect(removed.status).toBe(200)
    expect(removed.body).toEqual({
      message: expect.any(String),
      project: nameOf(project),
      removed_user: friend.handle,
    })
    expect((await call('GET', project.path(), { key: friend.key })).status).toBe(403)
    expect(await shares()).toEqual([])
    expect((await shareWith(friend)).status).toBe(201)
  })
})

describe('shares', () => {
  it('stay when the project is replaced, and go with it', async () => {
    await shareWith(friend)
    const { owner } = project
    const { key } = owner
    const body = { instance_owner: owner.handle, instance_handle: 'model', shared_with: [] }
    const put = () => call('PUT', project.path(), { key, body })
    expect((await put()).status).toBe(200)
    expect(await shares()).toHaveLength(1)
    await call('DELETE', project.path(), { key })
    expect((await put()).status).toBe(201)
    expect(await shares()).toEqual([])
  })
})
