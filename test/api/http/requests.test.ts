import { describe, expect, it } from 'vitest'
import { adminKey, testApp } from '../../support/app.ts'
import { asAdmin, call } from '../../support/client.ts'
import { newProject, newUser } from '../../support/factories.ts'

const problem = 'application/problem+json'

describe('the Authorization header', () => {
  const withHeader = async (header: string) => {
    const { app } = await testApp()
    return app.request('/v1/users', { headers: { Authorization: header } })
  }

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('may begin with %s', async (word) => {
    expect((await withHeader(`${word} ${adminKey}`)).status).toBe(200)
  })

  it.each([
    ['two spaces', `Bearer  ${adminKey}`],
    ['a tab', `Bearer\t${adminKey}`],
    ['no space', `Bearer${adminKey}`],
    ['no key', 'Bearer'],
    ['an empty key', 'Bearer '],
    ['no scheme', adminKey],
    ['another scheme', `Basic ${adminKey}`],
    ['a word more', `Bearer ${adminKey} x`],
    ['two keys', `Bearer ${adminKey}, Bearer ${adminKey}`],
    ['quotes', `Bearer "${adminKey}"`],
    ['a key that is nobody’s', `Bearer ${adminKey}x`],
    ['a part of the key', `Bearer ${adminKey.slice(0, -1)}`],
    ['another case', `Bearer ${adminKey.toUpperCase()}`],
    ['nothing', ''],
  ])('with %s is 401', async (_, header) => {
    const answer = await withHeader(header.replace('’', "'"))
    expect(answer.status).toBe(401)
    expect(answer.headers.get('content-type')).toBe(problem)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(await answer.json()).toEqual({
      title: 'Unauthorized',
      status: 401,
      detail: 'Invalid or missing authorization credentials',
    })
  })
})

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

  it('with broken escapes or odd handles is no failure', async () => {
    const odd = [
      '%',
      '%zz',
      '%ff',
      '%C3',
      '%ED%A0%80',
      'a%2Fb',
      '..%2F..',
      '__proto__',
      '%F0%9F%98%80',
    ]
    for (const part of odd) {
      for (const path of [
        `/v1/users/${part}`,
        `/v1/api-standards/${part}`,
        `/v1/projects/${part}/${part}`,
        `/v1/embeddings/${part}/${part}/${part}`,
        `/v1/similars/${part}/${part}/${part}?metadata_path=${part}&metadata_value=${part}`,
        `/v1/embeddings/${part}/${part}?limit=${part}&${part}=${part}`,
      ]) {
        expect([400, 404], path).toContain((await asAdmin('GET', path)).status)
      }
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
