import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { compress, compressStream } from '../../src/http/compress.ts'
import type { AppEnv } from '../../src/http/env.ts'
import { decodedText } from '../support/decoded-text.ts'

const bytes = new TextEncoder().encode('0.123456789,'.repeat(100_000))

const endless = (
  pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void | Promise<void>,
) => {
  const seen = { cancelled: 0, ended: 0 }
  const source = new ReadableStream<Uint8Array>(
    {
      pull,
      cancel() {
        seen.cancelled += 1
      },
    },
    { highWaterMark: 0 },
  )
  const encoded = compressStream(source, () => {
    seen.ended += 1
  })
  return { encoded, seen }
}

describe('a compressed stream', () => {
  it('breaks off when what is compressed does', async () => {
    let parts = 0
    const { encoded, seen } = endless((controller) => {
      parts += 1
      if (parts > 2) throw new Error('broken off')
      controller.enqueue(bytes)
    })
    await expect(new Response(encoded).arrayBuffer()).rejects.toThrow('broken off')
    expect(seen.ended).toBe(1)
  })

  it('ends what it reads when nobody reads it any more', async () => {
    const { encoded, seen } = endless((controller) => controller.enqueue(bytes))
    const reader = encoded.getReader()
    await reader.read()
    await reader.cancel()
    await expect.poll(() => seen).toEqual({ cancelled: 1, ended: 1 })
  })

  it('ends what it reads when nobody has begun to read it', async () => {
    const { encoded, seen } = endless((controller) => controller.enqueue(bytes))
    await encoded.cancel()
    await expect.poll(() => seen).toEqual({ cancelled: 1, ended: 1 })
  })

  it('ends what it reads while a part of it is waited for', async () => {
    const { encoded, seen } = endless(() => new Promise(() => {}))
    const reader = encoded.getReader()
    const part = reader.read()
    await new Promise(setImmediate)
    await reader.cancel()
    expect(await part).toMatchObject({ done: true })
    await expect.poll(() => seen).toEqual({ cancelled: 1, ended: 1 })
  })

  it('reads no further than it is read', async () => {
    let parts = 0
    const { encoded } = endless((controller) => {
      parts += 1
      controller.enqueue(crypto.getRandomValues(new Uint8Array(60_000)))
    })
    const reader = encoded.getReader()
    await reader.read()
    const taken = parts
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
    expect(parts).toBeLessThan(taken + 30)
    await reader.cancel()
  })
})

describe('what is compressed', () => {
  const app = new Hono<AppEnv>()
  app.use(compress())
  app.get('/image', (c) => c.body(bytes, 200, { 'Content-Type': 'image/png' }))
  app.get('/text', (c) => c.body(bytes, 200, { 'Content-Type': 'text/plain' }))
  app.get('/failing', (c) => {
    c.body(bytes, 200, { 'Content-Type': 'text/plain' })
    throw new Error('after all')
  })
  app.onError((error, c) => c.body(error.message, 500, { 'Content-Type': 'text/plain' }))
  const get = async (path: string) => app.request(path, { headers: { 'Accept-Encoding': 'gzip' } })

  it('is text', async () => {
    const answer = await get('/text')
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect((await decodedText(answer)).length).toBe(bytes.length)
    expect((await get('/image')).headers.get('content-encoding')).toBe(null)
  })

  it('is what is sent in the end', async () => {
    const answer = await get('/failing')
    expect([answer.status, await answer.text()]).toEqual([500, 'after all'])
  })
})
