import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { portOf } from '../../shared/ports.ts'

/** Listens on 127.0.0.1 until the test has finished. @returns the port */
export async function occupyPort(port = 0, onClient: (client: Socket) => void = () => {}) {
  const server = createServer(onClient).listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return portOf(server)
}
