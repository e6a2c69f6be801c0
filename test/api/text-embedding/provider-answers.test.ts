import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import {
  addProject,
  embedding,
  newInstance,
  newUser,
  type Project,
  unique,
  upload,
} from '../../support/factories.ts'
import { watch } from '../../support/secrets/watch.ts'
import { answerJson, directionOf, startProvider } from '../../support/servers/embedding-provider.ts'
import { answerAs, otherErrors, providerAnswers } from '../../support/servers/provider-answers.ts'

/** Searched for in all answers, lines of log and rows of the tests. */
const key = 'sk-4wJ8nC1zKp6YtR5xQ2'
watch.secrets.add(key)

async function projectOn(endpoint: string, request_format = 'openai', fields: object = {}) {
  const handle = unique('standard')
  const standard = { key_method: 'auth_bearer', key_field: 'Authorization', request_format }
  const body = { api_standard_handle: handle, description: 'Of a test', ...standard }
  expect((await asAdmin('POST', '/v1/api-standards', { body })).status).toBe(201)
  const owner = await newUser('owner')
  const instance = { endpoint, dimensions: 2, api_standard: handle, api_key_encrypted: key }
  await newInstance(owner, { ...instance, ...fields })
  const project = await addProject(owner, 'texts', { text_queries: 'members' })
  await upload(project, embedding('n', [0, 1]))
  return project
}

const ask = (project: Project, text = 'north') =>
  call('POST', project.path('similars'), { key: project.owner.key, body: { text } })

const send = (project: Project, texts: readonly string[]) =>
  call('POST', `${project.path('embeddings')}?embed=true`, {
    key: project.owner.key,
    body: { embeddings: texts.map((text, index) => ({ text_id: `t${index}`, text })) },
  })

// biome-ignore lint/suspicious/noExplicitAny: bodies of three forms
function textsIn({ input, texts, requests }: any): string[] {
  if (requests === undefined) return input ?? texts
  return requests.map(({ content }: { content: { parts: { text: string }[] } }) =>
    content.parts.map(({ text }) => text).join(),
  )
}

describe.each([...providerAnswers])('$name', (answers) => {
  const { requestFormat, success, refused, overloaded, tooLong } = answers

  it('has its vectors stored', async () => {
    const provider = await startProvider((response, { body }) =>
      answerJson(response, 200, success(textsIn(body))),
    )
    const project = await projectOn(provider.url, requestFormat)
    expect((await send(project, ['north', 'ab'])).status).toBe(201)
    const stored = await call('GET', `${project.path('embeddings')}/t1`, {
      key: project.owner.key,
    })
    expect(stored.body.vector).toEqual(directionOf('ab'))
  })

  it('is quoted where it refuses the key, without the key', async () => {
    const { words, ...answer } = refused(key)
    const provider = await startProvider((response) => answerAs(response, answer))
    const { status, body } = await ask(await projectOn(provider.url, requestFormat))
    expect(status).toBe(502)
    const what = answer.status === 200 ? ' with something else than vectors' : ''
    const said = `The embedding provider answered ${answer.status}${what}`
    expect(body.detail).toContain(words === '' ? said : `${said}: ${words}`)
    expect(body.detail).not.toContain(key.slice(-6))
    expect(provider.received).toHaveLength(1)
  })

  it('is quoted where it is overloaded, with when to come again', async () => {
    const provider = await startProvider((response) => answerAs(response, overloaded))
    const { status, body, headers } = await ask(await projectOn(provider.url, requestFormat))
    expect(status).toBe(502)
    const said = `The embedding provider answered ${overloaded.status}: ${overloaded.words}`
    expect(body.detail).toBe(said)
    const wait = headers.get('retry-after')
    const wanted = overloaded.retryAfter?.()
    if (wanted === undefined) expect(wait).toBeNull()
    else if (/^\d+$/.test(wanted)) expect(wait).toBe(wanted)
    // A date; the test itself takes some of that hour.
    else expect(Number(wait)).toBeGreaterThan(3_000)
    expect(provider.received).toHaveLength(wanted === undefined ? 3 : 1)
  })

  it('is asked about a text that is too long once, which is named, and goes on to be asked', async () => {
    const provider = await startProvider((response, { body }) => {
      const texts = textsIn(body)
      if (texts.some(({ length }) => length > 100)) answerAs(response, tooLong)
      else answerJson(response, 200, success(texts))
    })
    const project = await projectOn(provider.url, requestFormat)
    const good = ['one', 'two', 'three']
    for (let time = 0; time < 5; time += 1) {
      provider.received.length = 0
      const { status, body } = await send(project, [...good, 'x'.repeat(101), 'five'])
      expect(status).toBe(502)
      expect(body.detail).toBe(
        `The embedding provider answered ${tooLong.status}: ${tooLong.words} (embeddings[3], text_id 't3')`,
      )
      const sizes = provider.received.map(({ body }) => textsIn(body).length)
      expect(sizes).toEqual([5, 3, 2, 1])
    }
    expect((await send(project, good)).status).toBe(201)
  })
})

it.each(otherErrors)('quotes an error in the form %s', async (_, error, words) => {
  const provider = await startProvider((response) => answerJson(response, 404, error))
  const { body } = await ask(await projectOn(provider.url))
  expect(body.detail).toBe(`The embedding provider answered 404: ${words}`)
})

it('names the line, and the search of a batch, that is too long', async () => {
  const provider = await startProvider((response, { body }) => {
    const isTooLong = body.input.some(({ length }: string) => length > 100)
    if (isTooLong) answerJson(response, 400, { error: 'too long' })
    else answerJson(response, 200, { embeddings: body.input.map(directionOf) })
  })
  const project = await projectOn(provider.url, 'openai', {
    query_prefix: 'Q: ',
    document_prefix: 'D: ',
  })
  const { key } = project.owner
  const long = 'x'.repeat(101)
  const lines = ['one', long, 'two'].map((text, index) =>
    JSON.stringify({ text_id: `l${index}`, text }),
  )
  const headers = { 'Content-Type': 'application/x-ndjson' }
  const path = `${project.path('embeddings')}?embed=true`
  const stored = await call('POST', path, { key, raw: lines.join('\n'), headers })
  expect(stored.body.detail).toContain(": too long (line 2, text_id 'l1')")
  const searches = [{ text_id: 'n' }, { text: 'one' }, { text: long }]
  const body = { searches }
  const found = await call('POST', `${project.path('similars')}/batch`, { key, body })
  expect(found.body.answers[0].results).toBeDefined()
  expect(found.body.answers[2].error.detail).toContain(': too long (searches[2].text)')
})

it.each([401, 429])('does not take a %d for a dislike of dimensions', async (refusal) => {
  const provider = await startProvider((response, { body }) => {
    if (body.dimensions === undefined) answerJson(response, 200, { data: [{ embedding: [1] }] })
    else answerAs(response, { status: refusal, body: { error: 'No' }, retryAfter: () => '60' })
  })
  const { status, body, headers } = await ask(await projectOn(provider.url))
  expect(status).toBe(502)
  expect(body.detail).toBe(`The embedding provider answered ${refusal}: No`)
  expect(headers.get('retry-after')).toBe('60')
})

it.each([400, 422])('takes a %d of a model of one length for that', async (refusal) => {
  const provider = await startProvider((response, { body }) => {
    if (body.dimensions === undefined) answerJson(response, 200, { data: [{ embedding: [1] }] })
    else answerJson(response, refusal, { error: 'This model does not support dimensions' })
  })
  const { body } = await ask(await projectOn(provider.url))
  expect(body.detail).toContain('answers vectors of 1 dimensions')
})

const vectors = Buffer.from(JSON.stringify({ data: [{ embedding: [0, 1] }] }))
const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), vectors])

it.each([
  ['gzip', gzipSync(vectors)],
  ['x-gzip', gzipSync(vectors)],
  ['GZIP', gzipSync(marked)],
  ['deflate', deflateSync(vectors)],
  ['br', brotliCompressSync(vectors)],
  ['identity', marked],
])('reads an answer in %s', async (encoding, body) => {
  const provider = await startProvider((response) => {
    response.writeHead(200, { 'Content-Encoding': encoding }).end(body)
  })
  expect((await ask(await projectOn(provider.url))).body.results[0].id).toBe('n')
})

it('reads a refusal that is compressed', async () => {
  const provider = await startProvider((response) => {
    const body = gzipSync(JSON.stringify({ detail: 'No such model' }))
    response.writeHead(404, { 'Content-Encoding': 'gzip' }).end(body)
  })
  const { body } = await ask(await projectOn(provider.url))
  expect(body.detail).toBe('The embedding provider answered 404: No such model')
})

it.each([200, 400])('reads no more of a %d than what is not compressed may have', async (code) => {
  const spaces = Buffer.alloc(64 * 1024 * 1024, ' ')
  for (const [encoding, body] of [
    ['gzip', gzipSync(spaces)],
    ['br', brotliCompressSync(spaces)],
  ] as const) {
    const provider = await startProvider((response) => {
      response.writeHead(code, { 'Content-Encoding': encoding }).end(body)
    })
    const { status, body: answer } = await ask(await projectOn(provider.url))
    expect([status, answer.detail]).toEqual([502, expect.stringContaining('with more than')])
    expect(provider.received).toHaveLength(1)
  }
})

it.each([
  'gzip',
  'br',
])('takes the status of a refusal whose %s cannot be read', async (encoding) => {
  for (const words of ['', 'No such key']) {
    const provider = await startProvider((response) => {
      response.writeHead(401, { 'Content-Encoding': encoding }).end(words)
    })
    const { status, body } = await ask(await projectOn(provider.url))
    expect([status, body.detail]).toEqual([502, 'The embedding provider answered 401'])
    expect(provider.received).toHaveLength(1)
  }
})

it('waits for nothing where the provider leaves HTTP', async () => {
  const provider = await startProvider((response) => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'
    response.socket?.end(head)
  })
  const { status, body } = await ask(await projectOn(provider.url))
  expect([status, body.detail]).toEqual([502, 'The embedding provider could not be reached'])
})

it('refuses what cannot be decompressed', async () => {
  const provider = await startProvider((response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(vectors)
  })
  const { status, body } = await ask(await projectOn(provider.url))
  expect([status, body.detail]).toEqual([
    502,
    "The embedding provider's answer could not be read (Z_DATA_ERROR)",
  ])
})
