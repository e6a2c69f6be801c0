import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Listens on 127.0.0.1 until the test has finished. @returns the port */
export async function occupyPort(port = 0, onClient: (client: Socket) => void = () => {}) {
  const server = createServer(onClient).listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return portOf(server.address())
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server.address())
  await new Promise((resolve) => server.close(resolve))
  return port
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP')
  return address.port
}
