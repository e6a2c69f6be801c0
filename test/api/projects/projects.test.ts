import { beforeEach, describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { badHandles, expectRefused, oddHandles, unstorable } from '../../support/data/refusals.ts'
import { newInstance, newUser, type User } from '../../support/factories.ts'

let owner: User
let friend: User
let instance: { instance_id: number }
let reference: { instance_owner: string; instance_handle: string }

beforeEach(async () => {
  owner = await newUser('owner')
  friend = await newUser('friend')
  instance = await newInstance(owner)
  reference = { instance_owner: owner.handle, instance_handle: 'model' }
})

const pathOf = (handle: string) => `/v1/projects/${owner.handle}/${handle}`
const post = (body: object) =>
  call('POST', `/v1/projects/${owner.handle}`, { key: owner.key, body })
const create = (fields: object = {}) => post({ project_handle: 'texts', ...reference, ...fields })
const get = (handle = 'texts', { key } = owner) => call('GET', pathOf(handle), { key })
const sharesOf = async (handle: string) =>
  (await call('GET', `${pathOf(handle)}/shared-with`, { key: owner.key })).body.shared_with
const badFields = {
  description: [5, {}, 'd'.repeat(10_001), ...unstorable],
  public_read: ['true', 1, 0, []],
  metadataScheme: [5, { type: 'object' }, true, ...unstorable],
}
const badReferences = {
  instance_owner: [undefined, null, 5, ...unstorable],
  instance_handle: [undefined, null, 5, ...unstorable],
}

describe('creating a project', () => {
  it('answers it without what only GET shows', async () => {
    const fields = { description: 'Verses', public_read: true, metadataScheme: '{"type":"object"}' }
    const before = Date.now()
    const created = await create(fields)
    expect(created.status).toBe(201)
    const { project_id } = created.body
    expect(Number.isSafeInteger(project_id)).toBe(true)
    const { instance_id } = instance
    const whole = { project_id, project_handle: 'texts', ...reference, instance_id, ...fields }
    expect(created.body).toEqual({ ...whole, owner: owner.handle })
    const shown = await get()
    const { created_at } = shown.body
    const read = {
      model: 'small',
      dimensions: 3,
      embeds_texts: true,
      text_queries: 'off',
      embedding_count: 0,
      created_at,
    }
    expect(shown.body).toEqual({ ...created.body, ...read })
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    expect(Math.abs(Date.parse(created_at) - before)).toBeLessThan(60_000)
  })

  it('needs no more than handle and instance; unknown fields are ignored', async () => {
    const others = {
      owner: 'x',
      project_id: 987_654,
      created_at: 'x',
      instance_id: 7,
      nonsense: {},
    }
    const nulls = { description: null, public_read: null, metadataScheme: null, shared_with: null }
    const { body } = await create({ ...others, ...nulls })
    const { project_id } = body
    const { instance_id } = instance
    const own = { project_id, project_handle: 'texts', owner: owner.handle, public_read: false }
    expect(body).toEqual({ ...own, ...reference, instance_id })
    expect(project_id).not.toBe(987_654)
  })

  it('refuses what is missing or invalid', async () => {
    await expectRefused(
      post,
      { project_handle: 'texts', ...reference },
      {
        project_handle: badHandles,
        ...badReferences,
        ...badFields,
        shared_with: [5, {}, ['bob'], [{}], [{ user_handle: 'bob' }], [{ role: 'reader' }]],
      },
    )
  })

  it('takes handles at the edge of the rule, and long descriptions', async () => {
    for (const project_handle of oddHandles) {
      const created = await create({ project_handle, description: '💥'.repeat(10_000) })
      expect(created, project_handle).toMatchObject({ status: 201, body: { project_handle } })
      expect(await get(project_handle)).toMatchObject({ status: 200, body: { project_handle } })
    }
    expect((await create({ project_handle: 'A' })).status).toBe(201)
  })

  it('needs an instance that exists and may be used', async () => {
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
    for (const [user_handle, role] of [
      [owner.handle, 'reader'],
      ['_system', 'reader'],
      ['*', 'reader'],
      [friend.handle, 'owner'],
      [friend.handle, undefined],
      ['a\0', 'reader'],
    ]) {
      const { status } = await create({ shared_with: [{ user_handle, role }] })
      expect(status, `${user_handle} as ${role}`).toBe(400)
    }
    expect((await get()).status).toBe(404)
    const { status } = await create({ shared_with: [] })
    expect(status).toBe(201)
  })
})
