import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { listenOnNode } from '../../src/server/node.ts'

async function serverOf(fetch: (request: Request) => Promise<Response>, givenUpMs?: number) {
  const server = await listenOnNode({ host: '127.0.0.1', port: 0, fetch }, givenUpMs)
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
  const socket = await stubborn(await serverOf(async () => new Response('never asked')))
  socket.resume().write('CONNECT example.org:80 HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'end')
  // Of a socket that is closed at both ends the system tells a client that goes on sending.
  for (let tries = 0; tries < 100 && !socket.destroyed; tries += 1) {
    await sleep(100)
    socket.write(' ')
  }
  expect(socket.destroyed).toBe(true)
})

/** An answer in two parts: with its headers, and after a while. */
function inParts(second: string, pauseMs: number): ReadableStream<Uint8Array> {
  const parts = ['first', second]
  return new ReadableStream({
    async pull(controller) {
      const part = parts.shift()
      if (part === undefined) return controller.close()
      if (parts.length === 0) await sleep(pauseMs)
      controller.enqueue(new TextEncoder().encode(part))
    },
  })
}

it('gives up a client that takes nothing of its answer', async () => {
  let isGone = () => false
  const port = await serverOf(async ({ signal }) => {
    isGone = () => signal.aborted
    return new Response(inParts('x'.repeat(50_000_000), 0))
  }, 500)
  const socket = await stubborn(port)
  socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => isGone()).toBe(true)
})

it('waits for an answer that takes its time, and for the rest of one', async () => {
  const port = await serverOf(async () => {
    await sleep(1_000)
    return new Response(inParts('second', 1_000))
  }, 300)
  const answer = await fetch(`http://127.0.0.1:${port}`)
  expect(await answer.text()).toBe('firstsecond')
})

it('breaks an answer off, and writes no other into it, for a client that sends no HTTP meanwhile', async () => {
  const port = await serverOf(async () => new Response(inParts('second', 10_000)))
  const socket = await stubborn(port)
  let received = ''
  socket.setEncoding('latin1').on('data', (text) => {
    received += text
  })
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => received).toContain('first')
  socket.write('HELLO\r\n\r\n')
  await Promise.race([once(socket, 'end'), once(socket, 'close')])
  expect(received).not.toContain('HTTP/1.1 400')
})
