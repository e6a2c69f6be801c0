import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../support/client.ts'
import { newUser, unique } from '../support/factories.ts'

describe('users', () => {
  it('are registered with a key that GET never shows', async () => {
    const handle = unique('alice')
    const body = { user_handle: handle, name: 'Alice', email: 'alice@example.org' }
    const created = await asAdmin('POST', '/v1/users', { body })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ ...body, api_key: expect.stringMatching(/^smb_[\w-]{43}$/) })
    const shown = await call('GET', `/v1/users/${handle}`, { key: created.body.api_key })
    expect(shown.body).toEqual(body)
  })

  it('keep their key when PUT again', async () => {
    const { handle, key } = await newUser()
    const answer = await asAdmin('PUT', `/v1/users/${handle}`, { body: { name: 'New' } })
    expect(answer).toMatchObject({ status: 200, body: { name: 'New', api_key: key } })
  })

  it('cannot be registered twice', async () => {
    const { handle } = await newUser()
    const answer = await asAdmin('POST', '/v1/users', { body: { user_handle: handle } })
    expect(answer).toMatchObject({
      status: 409,
      body: { detail: `User '${handle}' already exists` },
    })
  })
})
