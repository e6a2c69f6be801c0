import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'
import { portOf } from '../../shared/ports.ts'

/**
 * A server on this machine that a test has to itself.
 * @param refuseTunnel is told the destination of each CONNECT, which is then refused
 * @returns its port
 */
export async function startLocalHttp(
  listener: RequestListener,
  refuseTunnel: (to: string) => void = () => {},
): Promise<number> {
  const server = createServer(listener)
  // Node's fetch() repeats without end a CONNECT that gets no answer.
  server.on('connect', ({ url = '' }, socket) => {
    refuseTunnel(url)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return portOf(server)
}
