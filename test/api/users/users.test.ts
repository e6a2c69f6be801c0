import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { unique } from '../../support/factories.ts'

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
