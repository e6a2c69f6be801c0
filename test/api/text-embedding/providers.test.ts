import { expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import {
  addProject,
  embedding,
  newInstance,
  newUser,
  type Project,
  upload,
} from '../../support/factories.ts'
import { watch } from '../../support/secrets/watch.ts'
import { answerJson, openai, startProvider } from '../../support/servers/embedding-provider.ts'

/** Searched for in all answers, lines of log and rows of the tests. */
const key = 'sk-provider-7hR2mQ9xT4vB'
watch.secrets.add(key)

async function projectOn(endpoint: string): Promise<Project> {
  const owner = await newUser('owner')
  await newInstance(owner, { endpoint, dimensions: 2, api_key_encrypted: key })
  const project = await addProject(owner, 'texts', { text_queries: 'members' })
  await upload(project, embedding('n', [0, 1]))
  return project
}

const ask = (project: Project, text = 'north') =>
  call('POST', project.path('similars'), { key: project.owner.key, body: { text } })

it.each([
  `Incorrect API key provided: ${key}. You can find yours in your account`,
  `Bearer ${key}`,
  `key=${encodeURIComponent(key)} ${Buffer.from(key).toString('base64')} ${key.slice(0, 9)}`,
])('never repeats the key that a provider echoes: %#', async (words) => {
  const provider = await startProvider((response) =>
    answerJson(response, 401, { error: { message: words } }),
  )
  const { status, body } = await ask(await projectOn(provider.url))
  expect(status).toBe(502)
  expect(body.detail).toContain('The embedding provider answered 401: ')
  for (const part of [key.slice(0, 9), key.slice(6, 15), Buffer.from(key).toString('base64')]) {
    expect(body.detail).not.toContain(part)
  }
})

it('sends the key to the host of the endpoint alone, whatever that answers', async () => {
  const other = await startProvider()
  for (const status of [301, 302, 303, 307, 308]) {
    const provider = await startProvider((response) => {
      response.writeHead(status, { Location: other.url }).end()
    })
    const { body } = await ask(await projectOn(provider.url))
    expect(body).toMatchObject({
      status: 502,
      detail: `The embedding provider answered ${status}`,
    })
  }
  expect(other.received).toHaveLength(0)
})

it.each([
  ...['http://localhost:1/', 'http://10.0.0.1/', 'http://169.254.169.254/latest/meta-data'],
  ...['http://[::1]:1/', 'http://[::ffff:10.0.0.1]/', 'http://0x0a000001/', 'http://167772161/'],
  'https://api.example.com/v1/embeddings',
])('asks no host that the operator has not named: %s', async (endpoint) => {
  const { status, body } = await ask(await projectOn(endpoint))
  expect(status).toBe(403)
  expect(body.detail).toContain('SERVICE_EMBEDDINGHOSTS')
  expect(body.detail).not.toContain(new URL(endpoint).hostname)
})

it.each([
  ['vectors that are none', { data: [{ embedding: ['a', 'b'] }] }, 'no list of numbers'],
  ['numbers that are none in float32', { data: [{ embedding: [1e300, 0] }] }, 'element 0'],
  ['a vector of length zero', { data: [{ embedding: [0, 0] }] }, 'no direction'],
  ['too many', { data: [{ embedding: [0, 1] }, { embedding: [0, 1] }] }, '2 vectors for 1 texts'],
  ['none', { data: [] }, '0 vectors for 1 texts'],
  ['one of them twice', { data: [{ index: 0 }, { index: 0 }] }, 'something else than vectors'],
  ['a hole', { data: [{ index: 4_000_000_000, embedding: [0, 1] }] }, 'no list of numbers'],
  ['other dimensions', { data: [{ embedding: [0, 1, 2] }] }, 'vectors of 3 dimensions'],
  ['something else', { choices: [] }, "request_format of its API standard is 'openai'"],
  ['nothing', null, 'something else than vectors'],
])('refuses %s', async (_, answer, detail) => {
  const provider = await startProvider((response) => answerJson(response, 200, answer))
  const { status, body } = await ask(await projectOn(provider.url))
  expect(status).toBe(502)
  expect(body.detail).toContain(detail)
})

it('refuses what is no JSON, and more than vectors can have', async () => {
  const page = await startProvider((response) => response.end('<html>Sign in</html>'))
  expect((await ask(await projectOn(page.url))).body.detail).toContain(
    'something else than vectors',
  )
  const endless = await startProvider((response) => {
    const write = () => {
      while (response.write('[1,'.repeat(10_000)));
      response.once('drain', write)
    }
    write()
  })
  const { status, body } = await ask(await projectOn(endless.url))
  expect([status, body.detail]).toEqual([502, expect.stringContaining('with more than')])
})

it('does not take an answer apart that holds more values than vectors can have', async () => {
  const data = Array.from({ length: 60_000 }, () => ({}))
  const provider = await startProvider((response) => answerJson(response, 200, { data }))
  const { status, body } = await ask(await projectOn(provider.url))
  expect([status, body.detail]).toEqual([502, expect.stringContaining('else than vectors')])
})

it('tries again what passes, as the provider wants it', async () => {
  const provider = await startProvider()
  const project = await projectOn(provider.url)
  let requests = 0
  provider.respond = (response, received) => {
    requests += 1
    if (requests === 1) response.writeHead(429, { 'Retry-After': '0' }).end('{}')
    else if (requests === 2) response.destroy()
    else openai(response, received)
  }
  expect((await ask(project)).status).toBe(200)
  expect(requests).toBe(3)
  provider.respond = (response) => response.writeHead(429, { 'Retry-After': '60' }).end('{}')
  const busy = await ask(project, 'south')
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([502, '60'])
})

it('spares an endpoint that has failed five times in a row, and no other', async () => {
  const provider = await startProvider((response) => answerJson(response, 500, { error: 'down' }))
  const project = await projectOn(provider.url)
  for (let failures = 0; failures < 5; failures += 1) {
    expect((await ask(project)).status).toBe(502)
  }
  const spared = await ask(project)
  expect(spared.status).toBe(503)
  expect(Number(spared.headers.get('retry-after'))).toBeGreaterThan(20)
  // Each is tried three times.
  expect(provider.received).toHaveLength(15)
  expect((await ask(await projectOn(provider.url))).status).toBe(502)
  const sound = await startProvider()
  expect((await ask(await projectOn(sound.url))).status).toBe(200)
})

it('does not tell a stranger whether the provider works', async () => {
  const project = await projectOn('http://127.0.0.1:1/')
  const stranger = await newUser()
  const body = { text: 'north' }
  const path = project.path('similars')
  expect((await call('POST', path, { key: stranger.key, body })).status).toBe(403)
  expect((await call('POST', path, { body })).status).toBe(401)
})
