import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy that serves the service below a path of its own. */
export async function startProxy(target: string, below: string) {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming
    if (!url.startsWith(below)) return void outgoing.writeHead(404).end()
    const onward = request(target + url.slice(below.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${below}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
