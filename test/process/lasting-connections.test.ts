import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { listenOnNode } from '../../src/server/node.ts'

async function serverOf(fetch: (request: Request) => Response) {
  const server = await listenOnNode({ host: '127.0.0.1', port: 0, fetch })
  onTestFinished(() => server.stop())
  return Number(new URL(server.url).port)
}

/** A client that never closes its end by itself. */
async function stubborn(port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

it('closes the connection of a proxy request also when the client does not', async () => {
  const socket = await stubborn(await serverOf(() => new Response('never asked')))
  socket.resume().write('CONNECT example.org:80 HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'end')
  // Of a socket that is closed at both ends the system tells a client that goes on sending.
  for (let tries = 0; tries < 100 && !socket.destroyed; tries += 1) {
    await sleep(100)
    socket.write(' ')
  }
  expect(socket.destroyed).toBe(true)
})
