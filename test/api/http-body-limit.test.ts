import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { maxBodyBytes } from '../support/app.ts'
import { asAdmin, type Call, call } from '../support/client.ts'
import { newProject, unique } from '../support/factories.ts'

const createUser = (raw: NonNullable<Call['raw']>, headers = {}, body: unknown = {}) =>
  asAdmin('POST', '/v1/users', { raw, headers, body })

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
  it('is looked at only after the key', async () => {
    const paths = ['/v1/users', '/v1/embeddings/a/b', '/v1/similars/a/b']
    for (const path of paths) {
      expect((await call('POST', path, { raw: tooLarge() })).status).toBe(401)
      expect((await call('POST', path, { key: 'nobody', raw: tooLarge() })).status).toBe(401)
    }
  })

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
    const body = { user_handle: unique('body') }
    const filled = JSON.stringify(body).padEnd(maxBodyBytes)
    expect(await createUser(`${filled} `)).toMatchObject(refusal)
    expect((await createUser(filled, {}, body)).status).toBe(201)
  })
})
