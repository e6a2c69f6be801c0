import { beforeEach, describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { badSharees, expectRefused } from '../../support/data/refusals.ts'
import {
  addProject,
  embedding,
  newInstance,
  newProject,
  newSharee,
  newUser,
  type Project,
  share,
  type User,
  upload,
} from '../../support/factories.ts'

const kinds = [
  { kind: 'project', pathOf: (project: Project) => project.path() },
  {
    kind: 'instance',
    pathOf: ({ owner }: Project) => `/v1/llm-services/${owner.handle}/model`,
  },
]

let project: Project
let owner: User
let friend: User
beforeEach(async () => {
  project = await newProject({}, { api_key_encrypted: 'provider-secret' })
  owner = project.owner
  friend = await newUser('friend')
})

const get = (path: string, { key }: User) => call('GET', path, { key })

describe.each(kinds)('sharing a $kind', ({ kind, pathOf }) => {
  let path: string
  let name: string
  beforeEach(() => {
    path = pathOf(project)
    name = `${owner.handle}/${kind === 'project' ? 'texts' : 'model'}`
  })
  const post = (body: object) => call('POST', `${path}/share`, { key: owner.key, body })
  const shareWith = ({ handle }: User, role = 'reader') => post({ share_with_handle: handle, role })
  const unshare = ({ handle }: User, { key } = owner) =>
    call('DELETE', `${path}/share/${handle}`, { key })
  const shares = async () => {
    const { status, body } = await get(`${path}/shared-with`, owner)
    expect([status, body[kind]]).toEqual([200, name])
    return body.shared_with
  }

  it('is answered with what was shared and its path, and listed by user', async () => {
    const { status, headers, body } = await shareWith(friend)
    expect([status, headers.get('location')]).toEqual([201, `${path}/share/${friend.handle}`])
    const said = { message: expect.any(String), [kind]: name }
    expect(body).toEqual({ ...said, shared_with: friend.handle, role: 'reader' })
    const another = await newUser('a-friend')
    await shareWith(another, 'editor')
    expect(await shares()).toEqual([
      { user_handle: another.handle, role: 'editor' },
      { user_handle: friend.handle, role: 'reader' },
    ])
  })

  it('again changes the role', async () => {
    await shareWith(friend)
    expect(await shareWith(friend, 'editor')).toMatchObject({
      status: 200,
      body: { role: 'editor' },
    })
    expect(await shares()).toEqual([{ user_handle: friend.handle, role: 'editor' }])
    expect((await shareWith(friend, 'editor')).status).toBe(200)
  })

  it('is not possible with the owner, _system, everybody or nobody, or in other roles', async () => {
    for (const handle of [owner.handle, '_system', '*']) {
      const answer = await post({ share_with_handle: handle, role: 'reader' })
      expect(answer.status, handle).toBe(400)
      if (kind === 'project' && handle === '*') expect(answer.body.detail).toContain('public_read')
    }
    for (const handle of ['no-such-user', 'no user', friend.handle.replace('f', 'F')]) {
      const answer = await post({ share_with_handle: handle, role: 'reader' })
      const detail = `User '${handle}' not found`
      expect(answer, handle).toMatchObject({ status: 404, body: { detail } })
    }
    expect(await shares()).toEqual([])
    const valid = { share_with_handle: friend.handle, role: 'reader' }
    await expectRefused(post, valid, badSharees)
    const detailFor = async (role?: string) => (await post({ ...valid, role })).body.detail
    expect(await detailFor()).toBe('role is required: reader or editor')
    expect(await detailFor('owner')).toBe('role: must be reader or editor')
  })

  it('ends with its access, by its owner', async () => {
    await shareWith(friend)
    expect((await get(path, friend)).status).toBe(200)
    const { status, body } = await unshare(friend)
    const said = { message: expect.any(String), [kind]: name, removed_user: friend.handle }
    expect([status, body]).toEqual([200, said])
    expect((await get(path, friend)).status).toBe(403)
    expect(await shares()).toEqual([])
    for (const other of [friend, owner, { handle: 'no-such-user', key: '' }]) {
      expect((await unshare(other)).status, other.handle).toBe(404)
    }
    expect((await shareWith(friend)).status).toBe(201)
  })

  it('ends when its user gives it back, and other shares stay', async () => {
    const other = kinds.find((each) => each.kind !== kind)?.pathOf(project) ?? ''
    const editor = await newUser('editor')
    await share(other, owner, friend)
    await shareWith(editor, 'editor')
    expect((await unshare(friend, friend)).status).toBe(403)
    await shareWith(friend)
    expect((await unshare(friend, editor)).status).toBe(403)
    expect((await unshare(friend, friend)).status).toBe(200)
    expect((await get(path, friend)).status).toBe(403)
    expect((await unshare(friend, friend)).status).toBe(403)
    expect((await get(path, editor)).status).toBe(200)
    expect((await get(other, friend)).status).toBe(200)
  })
})

describe('a shared project', () => {
  it('is read by every one of very many, the last as well as the first', async () => {
    const readers: User[] = []
    for (let number = 0; number < 200; number += 1) {
      readers.push(await newSharee(project, 'reader'))
    }
    const answers = await Promise.all(readers.map((reader) => get(project.path(), reader)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const { body } = await get(`${project.path()}/shared-with`, owner)
    expect(body.shared_with).toHaveLength(200)
  })

  it('allows what the present role does', async () => {
    const editor = await newSharee(project, 'editor')
    const body = { share_with_handle: editor.handle, role: 'reader' }
    const path = `${project.path('embeddings')}/none`
    const remove = async () => (await call('DELETE', path, { key: editor.key })).status
    expect(await remove()).toBe(404)
    await call('POST', `${project.path()}/share`, { key: owner.key, body })
    expect(await remove()).toBe(403)
  })

  it('keeps its shares when it is replaced, and takes them along when it is deleted', async () => {
    const reader = await newSharee(project, 'reader')
    const body = { instance_owner: owner.handle, instance_handle: 'model', shared_with: [] }
    const put = async () => (await call('PUT', project.path(), { key: owner.key, body })).status
    expect(await put()).toBe(200)
    expect((await get(project.path(), reader)).status).toBe(200)
    await call('DELETE', project.path(), { key: owner.key })
    expect(await put()).toBe(201)
    expect((await get(project.path(), reader)).status).toBe(403)
  })
})

describe('a shared instance', () => {
  const pathOfModel = () => `/v1/llm-services/${owner.handle}/model`

  it.each(['reader', 'editor'])(
    'is seen by a %s without its key, and used in projects',
    async (role) => {
      await share(pathOfModel(), owner, friend, role)
      const seen = await get(pathOfModel(), friend)
      expect(seen).toMatchObject({ status: 200, body: { has_api_key: true, owner: owner.handle } })
      expect(JSON.stringify(seen.body)).not.toContain('secret')
      const theirs = await addProject(friend, 'texts', { instance_owner: owner.handle })
      await upload(theirs, embedding('a', [1, 0, 0]))
      expect((await get(theirs.path(), owner)).status).toBe(403)
    },
  )

  it('is not used by new projects when its share has ended, and still by those that use it', async () => {
    await share(pathOfModel(), owner, friend)
    const reference = { instance_owner: owner.handle, instance_handle: 'model' }
    const theirs = await addProject(friend, 'texts', reference)
    await call('DELETE', `${pathOfModel()}/share/${friend.handle}`, { key: owner.key })
    expect((await get(`/v1/llm-services/${friend.handle}`, friend)).body).toEqual({ instances: [] })
    await upload(theirs, embedding('a', [1, 0, 0]))
    const { key } = friend
    const vector = { vector: [1, 0, 0] }
    expect((await call('POST', theirs.path('similars'), { key, body: vector })).status).toBe(200)
    const put = (path: string) =>
      call('PUT', path, { key, body: { ...reference, public_read: true } })
    expect(await put(theirs.path())).toMatchObject({ status: 200, body: { public_read: true } })
    expect((await put(`${theirs.path()}-2`)).status).toBe(403)
    expect((await asAdmin('PUT', `${theirs.path()}-2`, { body: reference })).status).toBe(201)
  })

  it('is listed with those of the user, by owner and handle', async () => {
    for (const handle of ['b', 'a', 'C']) await newInstance(friend, {}, handle)
    await share(pathOfModel(), owner, friend)
    const list = `/v1/llm-services/${friend.handle}`
    const { body } = await get(list, friend)
    const names = body.instances.map(
      (each: { owner: string; instance_handle: string }) => `${each.owner}/${each.instance_handle}`,
    )
    const own = ['C', 'a', 'b'].map((handle) => `${friend.handle}/${handle}`)
    const lent = `${owner.handle}/model`
    expect(names).toEqual(owner.handle < friend.handle ? [lent, ...own] : [...own, lent])
    expect((await asAdmin('GET', list)).body).toEqual(body)
  })
})
