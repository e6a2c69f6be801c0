import { describe, expect, it } from 'vitest'
import { adminKey, testApp } from '../support/app.ts'
import { asAdmin, call } from '../support/client.ts'
import { embedding, newProject, newUser, upload } from '../support/factories.ts'

const problem = 'application/problem+json'

describe('an unknown path', () => {
  it.each([
    '/',
    '/v1',
    '/v2/users',
    '/v1/nothing',
    '/v1/users/',
    '/v1/embeddings/alice',
    '/v1/embeddings/a/b/c/d',
    '/v1/embeddings/a/b/c/',
    '//v1/users',
    '/V1/users',
    '/v1/users%2Falice',
    '/docs/../v1/nothing',
    '/.env',
  ])('%s is 404 with the error body', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await call(method, `http://localhost:8880${path}`)
      expect(answer).toMatchObject({ status: 404, body: { title: 'Not Found', status: 404 } })
      expect(answer.headers.get('content-type')).toBe(problem)
    }
  })
})

describe('a wrong method', () => {
  it.each([
    ['DELETE', '/v1/users', 'GET, POST, HEAD, OPTIONS'],
    ['POST', '/v1/users/alice', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    ['PUT', '/v1/embeddings/a/b', 'GET, POST, DELETE, HEAD, OPTIONS'],
    ['PATCH', '/v1/embeddings/a/b/c', 'GET, DELETE, HEAD, OPTIONS'],
    ['DELETE', '/v1/similars/a/b/c', 'GET, HEAD, OPTIONS'],
    ['GET', '/v1/projects/a/b/transfer-ownership', 'POST, OPTIONS'],
    ['PROPFIND', '/v1/users', 'GET, POST, HEAD, OPTIONS'],
    ['POST', '/openapi.yaml', 'GET, HEAD, OPTIONS'],
  ])('%s %s is 405 and names those that are possible', async (method, path, allow) => {
    const answer = await call(method, path, { key: adminKey })
    expect(answer).toMatchObject({
      status: 405,
      body: { title: 'Method Not Allowed', status: 405, detail: expect.stringContaining(method) },
    })
    expect(answer.headers.get('allow')).toBe(allow)
    expect(answer.headers.get('content-type')).toBe(problem)
  })
})

describe('browsers of other origins', () => {
  it('may ask before every method, with a key, and without one for the question', async () => {
    for (const path of ['/v1/users', '/v1/embeddings/a/b/c', '/v1/similars/a/b', '/v1/nothing']) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await call('OPTIONS', path, {
          headers: {
            Origin: 'https://app.example',
            'Access-Control-Request-Method': method,
            'Access-Control-Request-Headers': 'authorization,content-type',
          },
        })
        expect(answer.status).toBe(204)
        expect(answer.headers.get('access-control-allow-origin')).toBe('*')
        expect(answer.headers.get('access-control-allow-methods')?.split(',')).toContain(method)
        expect(answer.headers.get('access-control-allow-headers')).toMatch(/authorization/i)
      }
    }
  })

  it('may read answers and errors, and the headers that say more', async () => {
    const headers = { Origin: 'https://app.example' }
    const paths = ['/v1/api-standards', '/v1/users', '/v1/nothing', '/openapi.yaml']
    for (const path of paths) {
      const answer = await call('GET', path, { headers })
      expect(answer.headers.get('access-control-allow-origin'), path).toBe('*')
      expect(answer.headers.get('access-control-expose-headers')).toContain('X-Search-Mode')
    }
  })
})

describe('HEAD', () => {
  it('answers what GET does, without the body', async () => {
    const project = await newProject({ public_read: true })
    await upload(project, embedding('a', [1, 2, 3]))
    const paths = [
      '/v1/api-standards',
      '/v1/users',
      '/v1/nothing',
      project.path('embeddings'),
      `${project.path('embeddings')}/none`,
      `${project.path('similars')}/a`,
    ]
    for (const path of paths) {
      const [head, get] = [await call('HEAD', path), await call('GET', path)]
      expect(head.status, path).toBe(get.status)
      expect(head.headers.get('content-type'), path).toBe(get.headers.get('content-type'))
      const { app } = await testApp()
      expect(await (await app.request(path, { method: 'HEAD' })).text()).toBe('')
    }
  })
})

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
    expect((await asAdmin('GET', `/v1/users?${long}=${long}`)).status).toBe(200)
    const { path } = await newProject()
    expect((await asAdmin('GET', `${path('embeddings')}/${long}`)).status).toBe(400)
  })
})
