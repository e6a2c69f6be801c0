import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { asAdmin, type Call } from '../../support/client.ts'
import { unique } from '../../support/factories.ts'

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
    ...[undefined, 'text/plain', 'application/x-www-form-urlencoded'],
    ...['multipart/form-data; boundary=x', 'application/octet-stream'],
    ...['application/json; charset=utf-8', 'application/merge-patch+json', 'application/xml'],
    ...['nonsense', ''],
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
  it.each(['', undefined])('that is empty: %j', async (raw) => {
    const answer = await asAdmin('POST', '/v1/users', raw === undefined ? {} : { raw })
    expect(answer).toMatchObject({ status: 400, body: { detail: 'A JSON body is required' } })
  })

  it.each(['null', '[]', '"x"', '7', 'true', ' '])('that is no object: %j', async (raw) => {
    expect(await createUser(raw)).toMatchObject({ status: 400, body: { title: 'Bad Request' } })
  })
})
