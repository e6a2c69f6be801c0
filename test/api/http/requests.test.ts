import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { newProject, newUser } from '../../support/factories.ts'

describe('a URL', () => {
  it('with a NUL is 400 wherever it is', async () => {
    const { handle, key } = await newUser()
    for (const path of [
      '/%00',
      '/v1/users/%00',
      `/v1/embeddings/${handle}/p/a%00b`,
      `/v1/embeddings/${handle}/p?text_id=a%00`,
      `/v1/similars/${handle}/p/a?metadata_path=%00&metadata_value=x`,
      `/v1/projects/${handle}?limit=%00`,
      '/v1/nothing?x=%00',
    ]) {
      expect((await call('GET', path, { key })).status, path).toBe(400)
    }
  })

  it('may be very long', async () => {
    const long = 'a'.repeat(100_000)
    expect((await call('GET', `/${long}`)).status).toBe(404)
    expect((await asAdmin('GET', `/v1/users/${long}`)).status).toBe(404)
    expect((await asAdmin('GET', `/v1/users?${long}=${long}`)).status).toBe(400)
    const { path } = await newProject()
    expect((await asAdmin('GET', `${path('embeddings')}/${long}`)).status).toBe(400)
  })
})
