import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { createUploadReader } from '../../src/embeddings/upload/body/reader.ts'
import { createBodyReader } from '../../src/http/body/read-body.ts'
import { requesterOf } from '../../src/http/requester.ts'

const vector = Array.from({ length: 768 }, (_, index) => Math.sin(index))
const item = JSON.stringify({ text_id: 'one', vector })
/** Large enough for a thread to read it. */
const body = `{"embeddings":[${Array.from({ length: 100 }, () => item).join(',')}]}`

it('whoever sends much at once keeps nobody else from sending a large body', async () => {
  const readBody = createBodyReader(64 * 2 ** 20)
  const format = { size: 'bulk', parse: createUploadReader().json } as const
  const app = new Hono()
  app.onError(({ message }, c) => c.text(message, 503))
  app.post('/', async (c) => {
    const userId = Number(c.req.header('x-user'))
    const caller = { kind: 'user', userId, handle: 'a', key: undefined } as const
    const read = await readBody(c.req, { kind: 'admin' }, format, requesterOf(c.req, '', caller))
    read.release()
    return c.text('read')
  })
  const send = async (userId: number) => {
    const headers = { 'X-User': `${userId}` }
    return (await app.request('/', { method: 'POST', headers, body })).status
  }
  // More than the queue has places for; all of their bodies are there at the same time.
  const crowd = Array.from({ length: 40 }, () => send(0))
  const others = [1, 2].map(send)
  expect(await Promise.all(others)).toEqual([200, 200])
  expect(await Promise.all(crowd)).toContain(503)
})
