import { afterAll, describe, expect, it } from 'vitest'
import type { Call } from '../../support/client.ts'
import { embedding } from '../../support/factories.ts'
import { startServiceOfAnn } from '../../support/servers/service-of-ann.ts'
import { waitUntilPassing } from '../../support/wait.ts'

const mebibyte = 1024 * 1024
const budget = 64 * mebibyte

const service = await startServiceOfAnn({ maxBody: 16 * mebibyte })
await service.addProject('texts', { public_read: true })
const { body: bob } = await service.send('PUT', '/v1/users/bob', {})
const keys = { ann: service.key, bob: bob.api_key }
afterAll(service.close)

/** A body of which `bytes` are sent at first, and the answer that it gets in the end. */
function hold(bytes: number, path: string, options: Call = {}) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let left = bytes
  const raw = new ReadableStream<Uint8Array>(
    {
      start(made) {
        controller = made
      },
      pull(to) {
        const size = Math.min(left, 65_536)
        left -= size
        if (size > 0) to.enqueue(Buffer.alloc(size, ' '))
      },
    },
    { highWaterMark: 0 },
  )
  const answer = service.call('POST', path, { ...options, raw })
  // Pulled once more after the last byte was read.
  const arrived = waitUntilPassing(() => expect(left).toBe(0), 5)
  return {
    answer,
    arrived,
    finish: () => controller?.close(),
    hangUp: () => controller?.error(new Error('hung up')),
  }
}

type Held = ReturnType<typeof hold>

async function holdMany(count: number, ...of: Parameters<typeof hold>): Promise<Held[]> {
  const held = Array.from({ length: count }, () => hold(...of))
  await Promise.all(held.map(({ arrived }) => arrived))
  return held
}

const search = (key?: string) =>
  service.call('POST', '/v1/similars/ann/texts', { key, body: { vector: [1, 2, 3] } })
const busy = {
  status: 503,
  body: {
    title: 'Service Unavailable',
    detail: 'Too many request bodies are being read; try again in a moment',
  },
}

const endings: [how: string, end: (held: Held) => void, status: number][] = [
  ['their clients hang up', (held) => held.hangUp(), 400],
  ['they are answered', (held) => held.finish(), 400],
]

describe.each(endings)('bodies that stall, until %s', (_, end, status) => {
  const leave = async (held: readonly Held[]) => {
    for (const each of held) end(each)
    for (const each of held) expect(await each.answer).toMatchObject({ status })
  }

  it('have a quarter of the room without a key, and those with one do not notice', async () => {
    const held = await holdMany(budget / 4 / mebibyte, mebibyte, '/v1/similars/ann/texts')
    const refused = await search()
    expect(refused).toMatchObject(busy)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await search(keys.ann)).status).toBe(200)
    await leave(held)
    expect((await search()).status).toBe(200)
  })

  it('have half of the room with one key', async () => {
    const path = '/v1/embeddings/ann/texts'
    const held = await holdMany(2, 16 * mebibyte, path, { key: keys.ann })
    expect(await search(keys.ann)).toMatchObject(busy)
    expect((await search(keys.bob)).status).toBe(200)
    expect((await search()).status).toBe(200)
    await leave(held)
    expect((await search(keys.ann)).status).toBe(200)
  })
})

describe('a body', () => {
  it('holds no room that it has only announced', async () => {
    const announced = { headers: { 'Content-Length': String(mebibyte) } }
    const held = await holdMany(32, 1, '/v1/similars/ann/texts', announced)
    expect((await search()).status).toBe(200)
    for (const each of held) each.hangUp()
    await Promise.all(held.map(({ answer }) => answer))
  })

  it('is refused before it is read when it does not fit as announced', async () => {
    const held = await holdMany(1, 16 * mebibyte, '/v1/embeddings/ann/texts', { key: keys.ann })
    const also = await holdMany(1, 15 * mebibyte, '/v1/embeddings/ann/texts', { key: keys.ann })
    const raw = new ReadableStream<Uint8Array>()
    const headers = { 'Content-Length': String(2 * mebibyte) }
    const path = '/v1/embeddings/ann/texts'
    expect(await service.call('POST', path, { key: keys.ann, raw, headers })).toMatchObject(busy)
    expect(raw.locked).toBe(false)
    for (const each of [...held, ...also]) each.hangUp()
    await Promise.all([...held, ...also].map(({ answer }) => answer))
  })

  it('whose client hangs up leaves nothing stored', async () => {
    const path = '/v1/embeddings/ann/texts'
    const whole = Buffer.from(JSON.stringify({ embeddings: [embedding('a', [1, 2, 3])] }))
    let sent = false
    const raw = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent) return controller.error(new Error('hung up'))
        sent = true
        controller.enqueue(whole)
      },
    })
    expect((await service.call('POST', path, { key: keys.ann, raw })).status).toBe(400)
    expect((await service.call('GET', path, { key: keys.ann })).body.total_count).toBe(0)
  })
})
