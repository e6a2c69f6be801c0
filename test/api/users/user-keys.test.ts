import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { users } from '../../../src/db/schema.ts'
import { hashKey } from '../../../src/secrets/keys.ts'
import { createSealer } from '../../../src/secrets/sealing.ts'
import { createApp } from '../../../src/server/app.ts'
import { adminKey, appSettings, testApp } from '../../support/app.ts'
import { asAdmin, call } from '../../support/client.ts'
import { newInstance, newUser, unique } from '../../support/factories.ts'
import { watch } from '../../support/secrets/watch.ts'

const isAccepted = async (handle: string, key: string) => {
  const { status } = await call('GET', `/v1/users/${handle}`, { key })
  expect([200, 401]).toContain(status)
  return status === 200
}

describe('rotating a key', () => {
  it('stops the old key at once, and the user goes on with the new one', async () => {
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
})

describe('a key of the first versions, without a checksum', () => {
  it('stays valid', async () => {
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
})

describe('a server whose ENCRYPTION_KEY was rotated meanwhile', () => {
  const outdated = async () => {
    const { database } = await testApp()
    const sealer = createSealer('an-encryption-key-that-is-outdated')
    const service = createApp({ ...appSettings, database, sealer, log: watch.log() })
    const app = watch.app(service.app)
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
