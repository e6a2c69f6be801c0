import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { asAdmin, type Call, call } from '../../support/client.ts'
import { textIdsIn } from '../../support/data/embeddings.ts'
import { embedding, newProject, unique } from '../../support/factories.ts'

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
    ['cut off', `{"user_handle":"${secret}"`, 'it ends too early: user_handle, byte 39'],
    ['not JSON', secret, ': byte 0'],
    ['a form', `user_handle=${secret}`, ': byte 0'],
    ['quoted wrongly', `{'user_handle':'${secret}'}`, 'Single quotes are not JSON: byte 1'],
    ['followed by more', `{"user_handle":"x"}${secret}`, 'more follows behind its end: byte 19'],
    ['with a comment', `{"user_handle":"x" /*${secret}*/}`, 'A comment is not JSON: user_handle'],
    ['NaN', `{"user_handle":NaN,"x":"${secret}"}`, 'NaN is not JSON: user_handle, byte 15'],
    ['with a line break in a string', `{"user_handle":"${secret}\n"}`, 'holds a line break'],
  ])('that is %s, without being repeated', async (_, raw, detail) => {
    const answer = await createUser(raw)
    expect(answer).toMatchObject({ status: 400, body: { title: 'Bad Request', status: 400 } })
    expect(answer.body.detail).toMatch(/ not (valid )?JSON/)
    expect(answer.body.detail).toContain(detail)
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
    ['a stray byte', [0xff]],
    ['an overlong form', [0xc0, 0x80]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut character', [0xf0, 0x9f, 0x98]],
    ['a latin-1 letter', [0xe9]],
  ])('that is not UTF-8: %s', async (_, bytes) => {
    const [before, after] = [`{"user_handle":"${unique('utf8')}","name":"`, '"}']
    const raw = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
    const answer = await createUser(raw)
    expect(answer).toMatchObject({ status: 400, body: { detail: 'The body is not valid JSON' } })
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
})

describe('an upload', () => {
  it('may be compressed', async () => {
    const project = await newProject()
    const body = { embeddings: [embedding('a', [1, 2, 3])] }
    const raw = gzipSync(JSON.stringify(body))
    const headers = { 'Content-Encoding': 'gzip' }
    const { key } = project.owner
    const answer = await call('POST', project.path('embeddings'), { key, raw, body, headers })
    expect(answer.status).toBe(201)
    expect(await textIdsIn(project)).toEqual(['a'])
  })
})
