import { describe, expect, it } from 'vitest'
import { adminKey, testApp } from '../../support/app.ts'
import { asAdmin, call } from '../../support/client.ts'
import { embedding, newProject, newUser, upload } from '../../support/factories.ts'

const problem = 'application/problem+json'
/** As a browser sends it, which gets the same problems as a program. */
const headers = { Accept: 'text/html' }

async function expectNothingAt(path: string, method: string) {
  const answer = await call(method, `http://localhost:8880${path}`, { headers })
  const detail = expect.stringMatching(/^There is nothing at /)
  const body = { title: 'Not Found', status: 404, detail }
  expect(answer, method).toMatchObject({ status: 404, body })
  expect(answer.headers.get('content-type')).toBe(problem)
}

describe('an unknown path', () => {
  it.each([
    ...['/index.html', '/v1/nothing/', '/v2/users', '/v1/nothing', '/v1/users/', '//x', '/v10'],
    ...['/v1/embeddings/alice', '/v1/embeddings/a/b/c/d', '/v1/embeddings/a/b/c/', '//v1/users'],
    ...['/V1/users', '/v1/users%2Falice', '/docs/../v1/nothing', '/.env', '/a/b/'],
    ...['/docs/guide/..%2Fweb%2Findex', '/docs/guide/%2e%2e%2fmain', '/scripts/main.js'],
    ...['/scripts/..%2f..%2fpackage.json', '/scripts/%2e%2e/package.json', '/scripts/'],
    '/%3Cimg%20src=x%20onerror=alert(1)%3E',
    // Pages of projects are for handles alone.
    ...['/explore/a', '/explore/a%20b/c', '/explore/a/b/c', '/explore/a/.c', '/explore/a/b/c/map'],
    ...[
      `/explore/a/${'b'.repeat(101)}`,
      '/explore/%3Cscript%3E/c',
      '/explore/a/%22%3E%3Cscript%3E',
    ],
  ])('%s is 404 with the error body', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND']) await expectNothingAt(path, method)
  })

  it.each([
    ...['nothing', 'index', 'nothing.png', 'nothing.md', 'words.html', 'llms.txt'].map(
      (name) => `/docs/guide/${name}`,
    ),
    '/scripts/pages.0000000000000000.js',
  ])('%s, where others are, is 404 to GET', async (path) => {
    await expectNothingAt(path, 'GET')
  })
})

it.each([
  ['DELETE', '/v1/users', 'GET, POST, HEAD, OPTIONS'],
  ['POST', '/v1/users/alice', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
  ['PUT', '/v1/embeddings/a/b', 'GET, POST, DELETE, HEAD, OPTIONS'],
  ['PUT', '/v1/embeddings/a/b/c', 'GET, DELETE, HEAD, OPTIONS'],
  ['PATCH', '/v1/embeddings/a/b/c', 'GET, DELETE, HEAD, OPTIONS'],
  ['DELETE', '/v1/similars/a/b/c', 'GET, HEAD, OPTIONS'],
  ['GET', '/v1/projects/a/b/transfer-ownership', 'POST, OPTIONS'],
  ['PROPFIND', '/v1/users', 'GET, POST, HEAD, OPTIONS'],
  ['POST', '/openapi.yaml', 'GET, HEAD, OPTIONS'],
])('a wrong method %s %s is 405 and names those that are possible', async (method, path, allow) => {
  const answer = await call(method, path, { key: adminKey, headers })
  expect(answer).toMatchObject({
    status: 405,
    body: { title: 'Method Not Allowed', status: 405, detail: expect.stringContaining(method) },
  })
  expect(answer.headers.get('allow')).toBe(allow)
  expect(answer.headers.get('content-type')).toBe(problem)
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
      const exposed = answer.headers.get('access-control-expose-headers')?.split(',')
      const named = ['X-Search-Mode', 'X-Search-Hidden', 'X-Search-Note', 'X-Request-Id', 'Link']
      expect(exposed, path).toEqual(expect.arrayContaining(named))
    }
  })
})

it('HEAD answers what GET does, without the body', async () => {
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

const idFor = async (path: string, sent?: string) => {
  const { app } = await testApp()
  const headers = sent === undefined ? {} : { 'X-Request-Id': sent }
  const answer = await app.request(path, { headers })
  return answer.headers.get('x-request-id')
}

describe('X-Request-Id', () => {
  it('is on every answer, errors included, and another each time', async () => {
    const paths = ['/v1/api-standards', '/v1/users', '/nowhere', '/v1/projects/a/%zz', '/docs']
    const ids = await Promise.all(paths.map((path) => idFor(path)))
    expect(new Set(ids).size).toBe(paths.length)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('is the one that the client sent', async () => {
    expect(await idFor('/v1/api-standards', 'batch-7_run-1')).toBe('batch-7_run-1')
    expect(await idFor('/v1/users', 'batch-8')).toBe('batch-8')
  })

  it.each(['a b', 'x'.repeat(300), '<script>'])(
    'is never what a log could misread',
    async (sent) => {
      expect(await idFor('/v1/api-standards', sent)).toMatch(/^[0-9a-f-]{36}$/)
    },
  )
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

  it('may be very long', async () => {
    const long = 'a'.repeat(100_000)
    expect((await call('GET', `/${long}`)).status).toBe(404)
    expect((await asAdmin('GET', `/v1/users/${long}`)).status).toBe(404)
    expect((await asAdmin('GET', `/v1/users?${long}=${long}`)).status).toBe(400)
    const { path } = await newProject()
    expect((await asAdmin('GET', `${path('embeddings')}/${long}`)).status).toBe(400)
  })
})
