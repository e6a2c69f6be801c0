import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createTurns } from '../../src/concurrency/yielding.ts'
import { nodeBody } from '../../src/http/body/node-body.ts'
import { portOf } from '../shared/ports.ts'

const count = 10_000

/** Sends what follows the head; the request, as a server of Node's sees it. */
async function withRequest<T>(
  rest: string,
  use: (request: IncomingMessage, hangUp: () => void) => Promise<T>,
  framing = 'Transfer-Encoding: chunked',
): Promise<T> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect(portOf(server), '127.0.0.1')
  try {
    socket.write(`POST / HTTP/1.1\r\nHost: test\r\n${framing}\r\n\r\n${rest}`)
    const [request]: IncomingMessage[] = await once(server, 'request')
    if (request === undefined) throw new Error('no request')
    return await use(request, () => socket.destroy())
  } finally {
    socket.destroy()
    server.close()
  }
}

// Bun gives them one by one.
it.skipIf(process.versions['bun'])('takes all chunks at once that have come', async () => {
  const text = Array.from({ length: count }, (_, index) => String.fromCharCode(97 + (index % 26)))
  const rest = text.map((byte) => `1\r\n${byte}\r\n`).join('')
  await withRequest(`${rest}0\r\n\r\n`, async (request) => {
    const body = nodeBody(request, createTurns())
    const parts: Uint8Array[] = []
    for (;;) {
      const { done, value } = await body.read()
      if (done === true || value === undefined) break
      parts.push(value)
    }
    expect(Buffer.concat(parts).toString()).toBe(text.join(''))
    expect(parts.length).toBeLessThan(count / 10)
  })
})

it('fails when the client hangs up in the middle', async () => {
  await withRequest('1\r\na\r\n', async (request, hangUp) => {
    const body = nodeBody(request, createTurns())
    expect(await body.read()).toMatchObject({ done: false })
    hangUp()
    await expect(body.read()).rejects.toThrow()
  })
})

it.each([
  ['a whole body', 'Content-Length: 4', 'body', 'body'],
  ['no part of one', 'Content-Length: 5', 'body', undefined],
  [
    'none in chunks, which are read in turns',
    'Transfer-Encoding: chunked',
    '1\r\na\r\n0\r\n\r\n',
    undefined,
  ],
])('takes at once %s', async (_, framing, rest, expected) => {
  await withRequest(
    rest,
    async (request) => {
      const body = nodeBody(request, createTurns())
      await new Promise(setImmediate)
      const bytes = body.arrived?.()
      expect(bytes && Buffer.from(bytes).toString()).toBe(expected)
    },
    framing,
  )
})
