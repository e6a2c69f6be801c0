import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, it, onTestFinished } from 'vitest'
import { jsonBody } from '../../src/http/body/format.ts'
import { createBodyReader } from '../../src/http/body/read-body.ts'
import { requesterOf } from '../../src/http/requester.ts'
import { portOf } from '../shared/ports.ts'

it('a client that has hung up before its body is read has sent a bad request', async () => {
  const readBody = createBodyReader(1024)
  const failures = new EventEmitter()
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.post('/', async (c) => {
    client.destroy()
    await new Promise((resolve) => c.env.incoming.on('error', resolve))
    await readBody(c.req, { kind: 'admin' }, jsonBody, requesterOf(c.req, '', undefined)).catch(
      (error) => failures.emit('failed', error),
    )
    return c.body(null)
  })
  // As the service's own server has it.
  const listener = getRequestListener(app.fetch, { autoCleanupIncoming: false })
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const client = connect(portOf(server), '127.0.0.1')
  const failure = once(failures, 'failed')
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{')
  expect(await failure).toMatchObject([{ kind: 'bad-request' }])
})
