import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { maxBodyBytes } from '../support/app.ts'
import { asAdmin, type Call, call } from '../support/client.ts'
import { textIdsIn } from '../support/embeddings.ts'
import { embedding, newProject, type Project, unique } from '../support/factories.ts'

const createUser = (raw: NonNullable<Call['raw']>, headers = {}, body: unknown = {}) =>
  asAdmin('POST', '/v1/users', { raw, headers, body })

/** A body for `createUser` with the bytes or the encoding wanted. */
function newUserBody() {
  const body = { user_handle: unique('body') }
  return { body, text: JSON.stringify(body), bytes: Buffer.from(JSON.stringify(body)) }
}

const stream = (...chunks: Uint8Array[]) => ReadableStream.from(chunks)

describe('a JSON body', () => {
  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/json; charset=utf-8',
    'application/merge-patch+json',
    'application/xml',
    'nonsense',
    '',
  ])('is taken with the Content-Type %s', async (type) => {
    const { body, bytes } = newUserBody()
    const answer = await createUser(bytes, type === undefined ? {} : { 'Content-Type': type }, body)
    expect(answer.status).toBe(201)
  })

  it('may come in chunks, with a byte order mark, and with spaces around', async () => {
    const { body, bytes } = newUserBody()
    const chunks = stream(bytes.subarray(0, 3), bytes.subarray(3, 9), bytes.subarray(9))
    expect((await createUser(chunks, {}, body)).status).toBe(201)
    const second = newUserBody()
    expect((await createUser(`\ufeff \n${second.text}\r\n`, {}, second.body)).status).toBe(201)
  })

  it('is read as UTF-8 across chunks', async () => {
    const { body, bytes } = newUserBody()
    const withName = { ...body, name: 'Zoë 😀' }
    const encoded = Buffer.from(JSON.stringify(withName))
    const chunks = Array.from(encoded, (byte) => Uint8Array.of(byte))
    expect(bytes.length).toBeLessThan(encoded.length)
    expect((await createUser(stream(...chunks), {}, withName)).body.name).toBe('Zoë 😀')
  })

  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['identity', Buffer.from],
  ])('may be encoded with %s', async (encoding, encode) => {
    const { body, bytes } = newUserBody()
    const answer = await createUser(encode(bytes), { 'Content-Encoding': encoding }, body)
    expect(answer.status).toBe(201)
  })
})

describe('a body is refused', () => {
  const secret = 'smb_do-not-repeat-this'
  it.each([
    ['cut off', `{"user_handle":"${secret}"`],
    ['not JSON', secret],
    ['a form', `user_handle=${secret}`],
    ['quoted wrongly', `{'user_handle':'${secret}'}`],
    ['followed by more', `{"user_handle":"x"}${secret}`],
    ['with a comment', `{"user_handle":"x" /*${secret}*/}`],
    ['NaN', `{"user_handle":NaN,"x":"${secret}"}`],
    ['with a line break in a string', `{"user_handle":"${secret}\n"}`],
  ])('that is %s, without being repeated', async (_, raw) => {
    const answer = await createUser(raw)
    expect(answer).toMatchObject({ status: 400, body: { title: 'Bad Request', status: 400 } })
    expect(answer.body.detail).toMatch(/^The body is not valid JSON/)
    expect(JSON.stringify(answer.body)).not.toMatch(/smb_|repeat/)
  })

  it.each(['', undefined])('that is empty: %j', async (raw) => {
    const answer = await asAdmin('POST', '/v1/users', raw === undefined ? {} : { raw })
    expect(answer).toMatchObject({ status: 400, body: { detail: 'A JSON body is required' } })
  })

  it.each(['null', '[]', '"x"', '7', 'true', ' '])('that is no object: %j', async (raw) => {
    expect(await createUser(raw)).toMatchObject({ status: 400, body: { title: 'Bad Request' } })
  })

  it.each([
    ['a stray byte', [0x22, 0xff, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0x80, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut character', [0x22, 0xf0, 0x9f, 0x98]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('that is not UTF-8: %s', async (_, bytes) => {
    expect(await createUser(Uint8Array.from(bytes))).toMatchObject({ status: 400 })
  })

  it.each([
    ['br', Buffer.from('{}')],
    ['zstd', Buffer.from('{}')],
    ['gzip, gzip', gzipSync(gzipSync('{}'))],
    ['nonsense', Buffer.from('{}')],
    ['gzip', Buffer.from('{}')],
    ['gzip', gzipSync('{"user_handle":"x"}').subarray(0, 20)],
    ['gzip', Buffer.alloc(0)],
    ['deflate', gzipSync('{}')],
  ])('that is not decoded by its Content-Encoding %s', async (encoding, bytes) => {
    const answer = await createUser(bytes, { 'Content-Encoding': encoding })
    expect(answer).toMatchObject({ status: 400, body: { title: 'Bad Request' } })
  })

  it('nested a hundred thousand levels deep', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect((await createUser(deep)).status).toBe(400)
    expect((await createUser(`{"user_handle":${deep}}`)).status).toBe(400)
  })

  it('only after the key', async () => {
    const paths = ['/v1/users', '/v1/embeddings/a/b', '/v1/similars/a/b']
    for (const path of paths) {
      expect((await call('POST', path, { raw: '{' })).status).toBe(401)
      expect((await call('POST', path, { key: 'nobody', raw: tooLarge() })).status).toBe(401)
    }
  })
})

const tooLarge = () => Buffer.alloc(maxBodyBytes + 1, ' ')
const refusal = {
  status: 413,
  body: {
    title: 'Payload Too Large',
    status: 413,
    detail: `The body is larger than the limit of ${maxBodyBytes} bytes`,
  },
}

describe('a body above the limit', () => {
  it('is 413, with the limit', async () => {
    expect(await createUser(tooLarge())).toMatchObject(refusal)
    const project = await newProject()
    for (const collection of ['embeddings', 'similars']) {
      const { key } = project.owner
      const answer = await call('POST', project.path(collection), { key, raw: tooLarge() })
      expect(answer).toMatchObject(refusal)
    }
  })

  it('is 413 also in chunks without a length, and read to the end', async () => {
    let sent = 0
    const chunks = (async function* () {
      for (; sent < 3 * maxBodyBytes; sent += 65_536) yield Buffer.alloc(65_536, ' ')
    })()
    expect(await createUser(ReadableStream.from(chunks))).toMatchObject(refusal)
    expect(sent).toBe(3 * maxBodyBytes)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('is 413 by what %s unfolds to', async (encoding, encode) => {
    const bomb = encode(Buffer.alloc(100 * 1024 * 1024, ' '))
    expect(bomb.length).toBeLessThan(maxBodyBytes)
    const answer = await createUser(bomb, { 'Content-Encoding': encoding })
    expect(answer).toMatchObject(refusal)
  })

  it('begins one byte above it', async () => {
    const fill = ({ text }: { text: string }, size: number) => text + ' '.repeat(size - text.length)
    const user = newUserBody()
    expect((await createUser(fill(user, maxBodyBytes), {}, user.body)).status).toBe(201)
    expect(await createUser(fill(newUserBody(), maxBodyBytes + 1))).toMatchObject(refusal)
  })
})

describe('an upload', () => {
  const send = (project: Project, options: Call) =>
    call('POST', project.path('embeddings'), { key: project.owner.key, ...options })

  it('may be compressed', async () => {
    const project = await newProject()
    const body = { embeddings: [embedding('a', [1, 2, 3])] }
    const raw = gzipSync(JSON.stringify(body))
    const headers = { 'Content-Encoding': 'gzip' }
    expect((await send(project, { raw, body, headers })).status).toBe(201)
    expect(await textIdsIn(project)).toEqual(['a'])
  })
})
