import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import { describe, expect, it, type TestContext } from 'vitest'
import { clientGone } from '../../src/http/requester.ts'
import { listenOnNode } from '../../src/server/node.ts'
import { RawConnection } from '../support/servers/raw-http.ts'
import { waitUntilPassing } from '../support/wait.ts'

/** A server whose answers take a while, and the signals that it has been given. */
async function slowServer(answerMs: number, { onTestFinished }: TestContext) {
  const signals: AbortSignal[] = []
  const app = new Hono()
  app.onError((_, c) => c.text('failed', 500))
  app.all('/unread', async (c) => {
    signals.push(clientGone(c.req))
    await sleep(answerMs)
    return c.text('late')
  })
  app.all('/read', async (c) => {
    signals.push(clientGone(c.req))
    await new Response(c.req.raw.body).text()
    await sleep(answerMs)
    return c.text('late')
  })
  const fetch = (request: Request) => app.fetch(request)
  const server = await listenOnNode({ host: '127.0.0.1', port: 0, fetch })
  onTestFinished(() => server.stop())
  return { url: server.url, signals }
}

const head = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`

const cases: [when: string, sent: string][] = [
  ['before a body is read', `${head('/unread', 2)}{}`],
  ['before a body has come', head('/unread', 2)],
  ['while it is being read', `${head('/read', 2)}{`],
  ['after it was read', `${head('/read', 2)}{}`],
  ['without a body', 'GET /unread HTTP/1.1\r\nHost: x\r\n\r\n'],
]

describe.concurrent('the signal of a request', () => {
  it.for(cases)('fires when the client hangs up %s', async ([, sent], test) => {
    const { url, signals } = await slowServer(1_000, test)
    const connection = await RawConnection.open(url)
    await connection.send(sent)
    await waitUntilPassing(() => expect(signals).toHaveLength(1))
    expect(signals[0]?.aborted).toBe(false)
    connection.close()
    await waitUntilPassing(() => expect(signals[0]?.aborted).toBe(true))
  })

  it('does not fire when the answer has arrived', async (test) => {
    const { url, signals } = await slowServer(0, test)
    const connection = await RawConnection.open(url)
    await connection.send(`${head('/read', 2)}{}`)
    expect(await connection.answer()).toMatchObject({ status: 200 })
    connection.close()
    await sleep(100)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  })
})
