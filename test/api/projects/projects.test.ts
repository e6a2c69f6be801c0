import { beforeEach, describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import {
  embedding,
  newInstance,
  newUser,
  projectNamed,
  type User,
  upload,
} from '../../support/factories.ts'

let owner: User
let friend: User
let reference: { instance_owner: string; instance_handle: string }

beforeEach(async () => {
  owner = await newUser('owner')
  friend = await newUser('friend')
  await newInstance(owner)
  reference = { instance_owner: owner.handle, instance_handle: 'model' }
})

const pathOf = (handle: string) => `/v1/projects/${owner.handle}/${handle}`
const post = (body: object) =>
  call('POST', `/v1/projects/${owner.handle}`, { key: owner.key, body })
const create = (fields: object = {}) => post({ project_handle: 'texts', ...reference, ...fields })
const get = (handle = 'texts', { key } = owner) => call('GET', pathOf(handle), { key })
const sharesOf = async (handle: string) =>
  (await call('GET', `${pathOf(handle)}/shared-with`, { key: owner.key })).body.shared_with

it('creating a project needs an instance that exists and may be used', async () => {
  expect((await create({ instance_handle: 'none' })).status).toBe(400)
  expect((await create({ instance_handle: 'Model' })).status).toBe(400)
  expect((await create({ instance_owner: 'no-such-user' })).status).toBe(400)
  await newInstance(friend, {}, 'theirs')
  const theirs = { instance_owner: friend.handle, instance_handle: 'theirs' }
  expect((await create(theirs)).status).toBe(403)
  expect((await get()).status).toBe(404)
  const body = { project_handle: 'texts', ...theirs }
  const byAdmin = await asAdmin('POST', `/v1/projects/${owner.handle}`, { body })
  expect(byAdmin).toMatchObject({ status: 201, body: theirs })
})

describe('the instance of a project', () => {
  const texts = () => projectNamed(owner, 'texts')
  const put = (instance_handle: string) =>
    call('PUT', pathOf('texts'), { key: owner.key, body: { ...reference, instance_handle } })
  beforeEach(async () => {
    await create()
    await newInstance(owner, { dimensions: 4 }, 'wide')
  })

  it('is changed by PUT while the project is empty', async () => {
    const { body: shown } = await get()
    const { status, body } = await put('wide')
    expect([status, body.instance_handle]).toEqual([200, 'wide'])
    expect(body.instance_id).not.toBe(shown.instance_id)
    expect((await get()).body).toMatchObject(body)
    await upload(texts(), embedding('a', [1, 0, 0, 0], { instance_handle: 'wide' }))
  })

  it('is changed for one of the same dimensions only where there are embeddings', async () => {
    await newInstance(owner, { model: 'large' }, 'like')
    await upload(texts(), embedding('a', [1, 0, 0]))
    const { body: before } = await get()
    expect((await put('wide')).status).toBe(409)
    expect((await get()).body).toEqual(before)
    expect(await put('like')).toMatchObject({ status: 200, body: { instance_handle: 'like' } })
    const { key } = owner
    const path = `/v1/llm-services/${owner.handle}/like`
    expect((await call('PATCH', path, { key, body: { dimensions: 4 } })).status).toBe(409)
    await call('DELETE', texts().path('embeddings'), { key })
    expect((await put('wide')).status).toBe(200)
  })
})

describe('shared_with of a new project', () => {
  it('shares it, by POST and by PUT', async () => {
    const editor = await newUser('editor')
    const shared_with = [
      { user_handle: editor.handle, role: 'editor' },
      { user_handle: friend.handle, role: 'reader' },
    ]
    const created = await create({ shared_with })
    expect(created.status).toBe(201)
    expect(Object.keys(created.body)).not.toContain('shared_with')
    expect(await sharesOf('texts')).toEqual(shared_with)
    expect((await get('texts', friend)).status).toBe(200)
    const body = { ...reference, shared_with }
    const put = await call('PUT', pathOf('second'), { key: owner.key, body })
    expect(put.status).toBe(201)
    expect(await sharesOf('second')).toEqual(shared_with)
  })

  it('with somebody unknown fails the whole request', async () => {
    const shared_with = [
      { user_handle: friend.handle, role: 'reader' },
      { user_handle: 'no-such-user', role: 'reader' },
    ]
    const problem = { status: 404, body: { detail: "User 'no-such-user' not found" } }
    expect(await create({ shared_with })).toMatchObject(problem)
    const body = { ...reference, shared_with }
    const put = await call('PUT', pathOf('texts'), { key: owner.key, body })
    expect(put).toMatchObject(problem)
    expect((await get()).status).toBe(404)
    const list = await call('GET', `/v1/projects/${friend.handle}?include_shared=true`, {
      key: friend.key,
    })
    expect(list.body.total_count).toBe(0)
  })

  it('follows the rules of sharing', async () => {
    for (const user_handle of [owner.handle, '_system', '*', 'a\0']) {
      const { status } = await create({ shared_with: [{ user_handle, role: 'reader' }] })
      expect(status, user_handle).toBe(400)
    }
    const { status, body } = await create({ shared_with: [{ user_handle: friend.handle }] })
    const detail = 'shared_with[0].role is required: reader or editor'
    expect([status, body.detail]).toEqual([400, detail])
    expect((await get()).status).toBe(404)
    expect((await create({ shared_with: [] })).status).toBe(201)
  })
})
