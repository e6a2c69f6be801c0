import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { badUserHandles, expectRefused, unstorable } from '../../support/data/refusals.ts'
import { newUser, unique } from '../../support/factories.ts'

const apiKey = expect.stringMatching(/^smb_[\w-]{49}$/)
const badProfiles = {
  name: [5, [], 'n'.repeat(256), ...unstorable],
  email: [5, '', 'alice', '@', 'a@', 'a b@c', `${'e'.repeat(252)}@e.e`, ...unstorable],
}

describe('users', () => {
  it('are registered with a key that GET never shows', async () => {
    const handle = unique('alice')
    const body = { user_handle: handle, name: 'Alice', email: 'alice@example.org' }
    const created = await asAdmin('POST', '/v1/users', { body })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ ...body, api_key: apiKey })
    const shown = await call('GET', `/v1/users/${handle}`, { key: created.body.api_key })
    expect(shown.status).toBe(200)
    expect(shown.body).toEqual(body)
  })

  it('need neither name nor e-mail', async () => {
    const user_handle = unique('user')
    const created = await asAdmin('POST', '/v1/users', { body: { user_handle } })
    expect(created.body).toEqual({ user_handle, api_key: apiKey })
  })

  it('may share name and e-mail, and differ in the case of their handles only', async () => {
    const handle = unique('case')
    const others = { name: 'Alice', email: 'alice@example.org' }
    for (const user_handle of [handle, handle.toUpperCase()]) {
      const answer = await asAdmin('POST', '/v1/users', { body: { user_handle, ...others } })
      expect(answer).toMatchObject({ status: 201, body: { user_handle } })
    }
  })

  it('can have handles of 1 and 100 characters', async () => {
    for (const handle of ['q', unique('-A_z-').padEnd(100, '9')]) {
      const created = await asAdmin('POST', '/v1/users', { body: { user_handle: handle } })
      expect(created, handle).toMatchObject({ status: 201, body: { user_handle: handle } })
      expect(await asAdmin('DELETE', `/v1/users/${handle}`)).toMatchObject({ status: 200 })
    }
  })

  it('can have names and e-mails of 255 characters, counted as code points', async () => {
    const profile = { name: '💥'.repeat(255), email: `${'e'.repeat(251)}@e.e` }
    const body = { user_handle: unique('long'), ...profile }
    expect(await asAdmin('POST', '/v1/users', { body })).toMatchObject({
      status: 201,
      body: profile,
    })
  })

  it('refuse what is no handle, name or e-mail', async () => {
    const body = { user_handle: unique('user'), name: 'Alice', email: 'a@b' }
    await expectRefused((body) => asAdmin('POST', '/v1/users', { body }), body, {
      user_handle: [...badUserHandles, '_system', '*'],
      ...badProfiles,
    })
  })

  it("get no key of the caller's choice; unknown fields are ignored", async () => {
    const body = { user_handle: unique('user'), api_key: 'my-own-key', created_at: 5, nonsense: {} }
    const created = await asAdmin('POST', '/v1/users', { body })
    expect(created.body).toEqual({ user_handle: body.user_handle, api_key: apiKey })
  })

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

describe('PATCH of a user', () => {
  it('changes the given fields only, and shows no key', async () => {
    const { handle, key } = await newUser()
    const path = `/v1/users/${handle}`
    const patch = (body: object) => call('PATCH', path, { key, body })
    expect(await patch({ name: 'Alice' })).toMatchObject({ status: 200 })
    const second = await patch({ email: 'a@b', user_handle: handle })
    expect(second.body).toEqual({ user_handle: handle, name: 'Alice', email: 'a@b' })
    expect((await patch({})).body).toEqual(second.body)
    expect((await patch({ name: null })).body).toEqual({ user_handle: handle, email: 'a@b' })
    expect((await patch({ email: null })).body).toEqual({ user_handle: handle })
    expect((await call('GET', path, { key })).body).toEqual({ user_handle: handle })
  })

  it('does not rename', async () => {
    const { handle } = await newUser()
    await expectRefused(
      (body) => asAdmin('PATCH', `/v1/users/${handle}`, { body }),
      {},
      { user_handle: [unique('other'), `${handle}2`, '_system', 5, null], ...badProfiles },
    )
  })
})
