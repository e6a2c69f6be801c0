import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { maxBodyBytes } from '../../support/app.ts'
import { asAdmin, type Call, call } from '../../support/client.ts'
import { searchBy } from '../../support/data/similars.ts'
import { newProject } from '../../support/factories.ts'

const createUser = (raw: NonNullable<Call['raw']>, headers = {}) =>
  asAdmin('POST', '/v1/users', { raw, headers })

const otherBytes = 1024 * 1024

const refusal = (limit: number) => ({
  status: 413,
  body: {
    title: 'Payload Too Large',
    status: 413,
    detail: expect.stringMatching(`^The body is larger than the limit of ${limit} bytes`),
  },
})

/** Of spaces; `sent` says how much was taken. */
function spaces(bytes: number) {
  const counted = { sent: 0, body: new ReadableStream<Uint8Array>() }
  const chunk = Buffer.alloc(65_536, ' ')
  counted.body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (counted.sent >= bytes) return controller.close()
      counted.sent += chunk.length
      controller.enqueue(chunk)
    },
  })
  return counted
}

describe('a body above the limit', () => {
  it('is looked at only after the key', async () => {
    const paths = ['/v1/users', '/v1/embeddings/a/b', '/v1/similars/a/b']
    for (const path of paths) {
      const raw = Buffer.alloc(maxBodyBytes + 1, ' ')
      expect((await call('POST', path, { raw })).status).toBe(401)
      expect((await call('POST', path, { key: 'nobody', raw })).status).toBe(401)
    }
  })

  it('is 413, with the limit, which is larger for uploads alone', async () => {
    const project = await newProject()
    const send = (method: string, path: string, bytes: number) =>
      asAdmin(method, path, { raw: Buffer.alloc(bytes, ' ') })
    for (const [method, path, limit] of [
      ['POST', '/v1/users', otherBytes],
      ['PATCH', project.path(), otherBytes],
      ['POST', project.path('similars'), otherBytes],
      ['POST', project.path('embeddings'), maxBodyBytes],
    ] as const) {
      expect(await send(method, path, limit + 1), path).toMatchObject(refusal(limit))
      expect((await send(method, path, limit)).status, path).toBe(400)
    }
  })

  it('is 413 before anything of it is read, when it is announced', async () => {
    const { body } = spaces(2 * otherBytes)
    const headers = { 'Content-Length': String(10 * 2 ** 30) }
    expect(await createUser(body, headers)).toMatchObject(refusal(otherBytes))
    expect(body.locked).toBe(false)
  })

  it('is 413 also in chunks without a length, and read to the end', async () => {
    const sending = spaces(3 * otherBytes)
    expect(await createUser(sending.body)).toMatchObject(refusal(otherBytes))
    await expect.poll(() => sending.sent).toBe(3 * otherBytes)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('is 413 by what %s unfolds to', async (encoding, encode) => {
    const bomb = encode(Buffer.alloc(100 * 1024 * 1024, ' '))
    expect(bomb.length).toBeLessThan(otherBytes)
    const answer = await createUser(bomb, { 'Content-Encoding': encoding })
    expect(answer).toMatchObject(refusal(otherBytes))
  })

  it('is 413 when it is compressed and unfolds to nothing', async () => {
    const header = gzipSync('').subarray(0, 10)
    const emptyBlock = Buffer.from([0, 0, 0, 0xff, 0xff])
    const blocks = Buffer.alloc(65_535, emptyBlock)
    let sent = 0
    const raw = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(sent === 0 ? header : blocks)
        sent += blocks.length
        if (sent > 100 * otherBytes) controller.close()
      },
    })
    const answer = await createUser(raw, { 'Content-Encoding': 'gzip' })
    expect(answer).toMatchObject(refusal(otherBytes))
  })
})

describe('within the limit of a mebibyte are', () => {
  it('the largest metadataScheme, escaped as far as JSON allows', async () => {
    const project = await newProject()
    const scheme = JSON.stringify({ description: 'x'.repeat(64 * 1024 - 20) })
    const escaped = [...scheme].map((sign) => `\\u00${sign.charCodeAt(0).toString(16)}`).join('')
    const answer = await call('PATCH', project.path(), {
      key: project.owner.key,
      body: { metadataScheme: scheme },
      raw: `{"metadataScheme":"${escaped}"}`,
    })
    expect(answer.status).toBe(200)
  })

  it('the longest vector, with all of its digits', async () => {
    const project = await newProject({}, { dimensions: 16_000 })
    const vector = Array.from({ length: 16_000 }, (_, index) => -Math.sin(index + 1) / 1e6)
    const answer = await searchBy(project, vector)
    expect(answer.status).toBe(200)
  })
})
