import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  ask,
  compass,
  projectAt,
  send,
  sendLines,
  vectorsOf,
} from '../../support/data/embedded-texts.ts'
import { searchBatch } from '../../support/data/similars.ts'
import { newStandard, type Project, upload } from '../../support/factories.ts'
import {
  answerJson,
  directionOf,
  openai,
  type Respond,
  startProvider,
} from '../../support/servers/embedding-provider.ts'
import {
  answerAs,
  otherErrors,
  providerAnswers,
  providerKey,
} from '../../support/servers/provider-answers.ts'

const item = { text_id: 'a', text: 'north' }

/** What asks a provider, and how it says that this has failed. */
const operations: Readonly<Record<string, (project: Project) => Promise<object>>> = {
  search: async (project) => (await ask(project, 'north')).body,
  batch: async (project) => (await searchBatch(project, { text: 'north' })).body.answers[0].error,
  upload: async (project) => (await send(project, [item])).body,
  'upload of lines': async (project) => (await sendLines(project, [item])).body,
}

const vectors = Buffer.from(JSON.stringify({ data: [{ embedding: [0, 1] }] }))
const spaces = Buffer.alloc(64 * 1024 * 1024, ' ')
const page: Respond = (response) => response.end('<html>Sign in</html>')
const endless: Respond = (response) => {
  const write = () => {
    while (response.write('[1,'.repeat(10_000)));
    response.once('drain', write)
  }
  write()
}
const json =
  (status: number, body: unknown): Respond =>
  (response) =>
    answerJson(response, status, body)
const encoded =
  (status: number, encoding: string, body: Uint8Array | string): Respond =>
  (response) =>
    response.writeHead(status, { 'Content-Encoding': encoding }).end(body)
/** As if it spoke WebSocket. */
const switching: Respond = ({ socket }) =>
  socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n')

type Fault = readonly [fault: string, respond: Respond, said: string, times?: number]
const wrongVectors: readonly (readonly [what: string, answer: unknown, said: string])[] = [
  ['vectors that are none', { data: [{ embedding: ['a', 'b'] }] }, 'no list of numbers'],
  ['numbers that are none in float32', { data: [{ embedding: [1e300, 0] }] }, 'element 0'],
  ['a vector of length zero', { data: [{ embedding: [0, 0] }] }, 'no direction'],
  ['too many', { data: [{ embedding: [0, 1] }, { embedding: [0, 1] }] }, '2 vectors for 1 texts'],
  ['none', { data: [] }, '0 vectors for 1 texts'],
  ['one of them twice', { data: [{ index: 0 }, { index: 0 }] }, 'something else than vectors'],
  ['a hole', { data: [{ index: 4_000_000_000, embedding: [0, 1] }] }, 'no list of numbers'],
  ['something else', { choices: [] }, "request_format of its API standard is 'openai'"],
  ['nothing', null, 'something else than vectors'],
  [
    'more values than vectors can have',
    { data: Array(20_000).fill({ embedding: [0] }) },
    'else than vectors',
  ],
]
const base64 = (text: string) => Buffer.from(text).toString('base64')
/** What a provider may repeat of the key, in the forms in which it was sent or may come back. */
const echoes = [
  ...[providerKey, providerKey.toUpperCase(), providerKey.slice(0, 8), providerKey.slice(-6)],
  ...[
    encodeURIComponent(providerKey),
    base64(providerKey),
    base64(`Bearer ${providerKey}`).slice(9),
  ],
  ...[Buffer.from(providerKey).toString('hex'), [...providerKey].reverse().join('')],
]

const longer = { data: [{ embedding: [0, 1, 2] }] }
const compressions = Object.entries({ gzip: gzipSync, br: brotliCompressSync })
const faults: readonly Fault[] = [
  ...wrongVectors.map(([what, answer, said]): Fault => [what, json(200, answer), said]),
  ...otherErrors.map(
    ([form, error, words]): Fault => [`an error in ${form}`, json(404, error), `404: ${words}`],
  ),
  // It is asked again, for vectors of that length.
  ['other dimensions', json(200, longer), 'vectors of 3 dimensions', 2],
  ['a page', page, 'something else than vectors'],
  ['an answer without an end', endless, 'with more than'],
  ['what leaves HTTP', switching, 'could not be reached', 3],
  ['no gzip', encoded(200, 'gzip', vectors), 'could not be read (Z_DATA_ERROR)', 3],
  ['a refusal in gzip', encoded(404, 'gzip', gzipSync('{"detail":"Gone"}')), '404: Gone'],
  ...compressions.flatMap(([encoding, compress]): Fault[] => [
    [`64 MiB in ${encoding}`, encoded(200, encoding, compress(spaces)), 'with more than'],
    [`64 MiB of refusal in ${encoding}`, encoded(400, encoding, compress(spaces)), 'with more'],
    [`an empty 401 in ${encoding}`, encoded(401, encoding, ''), 'answered 401'],
    [`a 401 that is no ${encoding}`, encoded(401, encoding, 'No such key'), 'answered 401'],
  ]),
]

describe.each(Object.entries(operations))('%s', (_, operation) => {
  it.for(faults)('says that the provider answered %s, and gives up', async (fault) => {
    const [, respond, said, times = 1] = fault
    const provider = await startProvider(respond)
    const project = await projectAt(provider)
    expect(await operation(project)).toMatchObject({
      ...{ status: 502, detail: expect.stringContaining(said) },
    })
    expect(provider.received).toHaveLength(times)
    expect(await vectorsOf(project)).toEqual({})
  })

  it('never repeats the key that a provider echoes', async () => {
    for (const echo of echoes) {
      const words = `Incorrect key: ${echo} was given`
      const project = await projectAt(await startProvider(json(401, { error: { message: words } })))
      const said = JSON.stringify(await operation(project))
      expect(said).toContain('The embedding provider answered 401: Incorrect')
      for (let at = 0; at + 6 <= echo.length; at += 1) {
        expect(said).not.toContain(echo.slice(at, at + 6))
      }
    }
  })

  it('sends the key to the host of the endpoint alone, whatever that answers', async () => {
    const other = await startProvider()
    for (const status of [301, 302, 303, 307, 308]) {
      const provider = await startProvider((response) =>
        response.writeHead(status, { Location: other.url }).end(),
      )
      const detail = `The embedding provider answered ${status}`
      expect(await operation(await projectAt(provider))).toMatchObject({ status: 502, detail })
    }
    expect(other.received).toHaveLength(0)
  })

  it.each([
    ...[401, 429].map((status) => [status, `The embedding provider answered ${status}: No`]),
    ...[400, 422].map((status) => [status, 'answers vectors of 1 dimensions']),
  ] as [number, string][])(
    'takes a %d for a dislike of dimensions where it may be one',
    async (status, said) => {
      const provider = await startProvider((response, { body }) => {
        if (body.dimensions === undefined) answerJson(response, 200, { data: [{ embedding: [1] }] })
        else answerAs(response, { status, body: { error: 'No' }, retryAfter: () => '60' })
      })
      const detail = expect.stringContaining(said)
      expect(await operation(await projectAt(provider))).toMatchObject({ status: 502, detail })
    },
  )

  it.each([
    ...['http://localhost:1/', 'http://10.0.0.1/', 'http://169.254.169.254/latest/meta-data'],
    ...['http://[::1]:1/', 'http://[::ffff:10.0.0.1]/', 'http://0x0a000001/', 'http://167772161/'],
    'https://api.example.com/v1/embeddings',
  ])('asks no host that the operator has not named: %s', async (url) => {
    const said = await operation(await projectAt({ url }))
    expect(said).toMatchObject({
      ...{ status: 403, detail: expect.stringContaining('SERVICE_EMBEDDINGHOSTS') },
    })
    expect(JSON.stringify(said)).not.toContain(new URL(url).hostname)
  })
})

// biome-ignore lint/suspicious/noExplicitAny: bodies of three forms
function textsIn({ input, texts, requests }: any): string[] {
  if (requests === undefined) return input ?? texts
  return requests.map(({ content }: { content: { parts: { text: string }[] } }) =>
    content.parts.map(({ text }) => text).join(),
  )
}

const numbered = (texts: readonly string[]) =>
  texts.map((text, index) => ({ text_id: `t${index}`, text }))

describe.each(providerAnswers)('$name', (answers) => {
  const { requestFormat = 'openai', success, refused, overloaded, tooLong } = answers
  const projectOf = async (provider: { readonly url: string }) =>
    projectAt(
      provider,
      { text_queries: 'members' },
      { api_standard: await newStandard({ request_format: requestFormat }) },
    )
  const quoting = ({ status, words }: typeof refused) => {
    const what = status === 200 ? ' with something else than vectors' : ''
    return `The embedding provider answered ${status}${what}${words && `: ${words}`}`
  }

  it('has its vectors stored', async () => {
    const provider = await startProvider((response, { body }) =>
      answerJson(response, 200, success(textsIn(body))),
    )
    const project = await projectOf(provider)
    expect((await send(project, numbered(['north', 'ab']))).status).toBe(201)
    expect(await vectorsOf(project)).toEqual({ t0: [0, 1], t1: directionOf('ab') })
  })

  it('is quoted where it refuses the key, without the key', async () => {
    const provider = await startProvider((response) => answerAs(response, refused))
    const { status, body } = await ask(await projectOf(provider), 'north')
    expect([status, body.detail]).toEqual([502, expect.stringContaining(quoting(refused))])
    expect(body.detail).not.toContain(providerKey.slice(-6))
    expect(provider.received).toHaveLength(1)
  })

  it('is quoted where it is overloaded, with when to come again', async () => {
    const provider = await startProvider((response) => answerAs(response, overloaded))
    const { status, body, headers } = await ask(await projectOf(provider), 'north')
    expect([status, body.detail]).toEqual([502, quoting(overloaded)])
    const wait = headers.get('retry-after')
    const wanted = overloaded.retryAfter?.() ?? null
    // Of a date, the test itself takes some of that hour.
    if (wanted?.endsWith('GMT')) expect(Number(wait)).toBeGreaterThan(3_000)
    else expect(wait).toBe(wanted)
    expect(provider.received).toHaveLength(wanted === null ? 3 : 1)
  })

  it('is asked about a text that is too long once, which is named, and goes on to be asked', async () => {
    const provider = await startProvider((response, { body }) => {
      const texts = textsIn(body)
      if (texts.some(({ length }) => length > 100)) answerAs(response, tooLong)
      else answerJson(response, 200, success(texts))
    })
    const project = await projectOf(provider)
    const good = ['one', 'two', 'three']
    for (let time = 0; time < 5; time += 1) {
      provider.received.length = 0
      const { status, body } = await send(project, numbered([...good, 'x'.repeat(101), 'five']))
      const detail = `${quoting(tooLong)} (embeddings[3], text_id 't3')`
      expect([status, body.detail]).toEqual([502, detail])
      const sizes = provider.received.map(({ body }) => textsIn(body).length)
      expect(sizes).toEqual([5, 3, 2, 1])
    }
    expect((await send(project, numbered(good))).status).toBe(201)
  })
})

it('names the line, and the search of a batch, that is too long', async () => {
  const provider = await startProvider((response, received) => {
    const isTooLong = received.body.input.some(({ length }: string) => length > 100)
    if (isTooLong) answerJson(response, 400, { error: 'too long' })
    else openai(response, received)
  })
  const prefixes = { query_prefix: 'Q: ', document_prefix: 'D: ' }
  const project = await projectAt(provider, undefined, prefixes)
  const long = 'x'.repeat(101)
  const stored = await sendLines(project, numbered(['one', long, 'two']))
  expect(stored.body.detail).toContain(": too long (line 2, text_id 't1')")
  await upload(project, ...compass)
  const found = await searchBatch(project, { text_id: 'n' }, { text: 'one' }, { text: long })
  expect(found.body.answers[0].results).toBeDefined()
  expect(found.body.answers[2].error.detail).toContain(': too long (searches[2].text)')
})

const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), vectors])

it.each([
  ['gzip', gzipSync(vectors)],
  ['x-gzip', gzipSync(vectors)],
  ['GZIP', gzipSync(marked)],
  ['deflate', deflateSync(vectors)],
  ['br', brotliCompressSync(vectors)],
  ['identity', marked],
])('reads an answer in %s', async (encoding, body) => {
  const project = await projectAt(await startProvider(encoded(200, encoding, body)))
  await upload(project, ...compass)
  expect((await ask(project, 'north')).body.results[0].id).toBe('n')
})

it('tries again what passes, as the provider wants it', async () => {
  const provider = await startProvider()
  const project = await projectAt(provider)
  provider.respond = (response, received) => {
    const tries = provider.received.length
    if (tries === 1) response.writeHead(429, { 'Retry-After': '0' }).end('{}')
    else if (tries === 2) response.destroy()
    else openai(response, received)
  }
  expect((await ask(project, 'north')).status).toBe(200)
  expect(provider.received).toHaveLength(3)
  provider.respond = (response) => response.writeHead(429, { 'Retry-After': '60' }).end('{}')
  const busy = await ask(project, 'south')
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([502, '60'])
})

it('spares an endpoint that has failed five times in a row, and no other; answers the others of a batch', async () => {
  const provider = await startProvider(json(500, { error: 'down' }))
  const project = await projectAt(provider)
  await upload(project, ...compass)
  for (let failures = 0; failures < 5; failures += 1) {
    expect((await ask(project, 'north')).status).toBe(502)
  }
  const spared = await ask(project, 'north')
  expect(spared.status).toBe(503)
  expect(Number(spared.headers.get('retry-after'))).toBeGreaterThan(20)
  const { body } = await searchBatch(project, { text: 'north' }, { text_id: 'e' })
  expect(body.answers).toMatchObject([{ error: { status: 503 } }, { results: [{ id: 'ne' }] }])
  const none = await searchBatch(project, { text: 'north' }, { text: 'east' })
  expect([none.status, Number(none.headers.get('retry-after')) > 0]).toEqual([503, true])
  // Each is tried three times.
  expect(provider.received).toHaveLength(15)
  expect((await ask(await projectAt(provider), 'north')).status).toBe(502)
  expect((await ask(await projectAt(await startProvider()), 'north')).status).toBe(200)
})
