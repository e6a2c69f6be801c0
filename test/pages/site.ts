import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

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

/** What an OpenAI-compatible provider has for texts: one whose words are known. */
export async function startProvider(vectors: ReadonlyMap<string, readonly number[]>) {
  const server = createServer(async (incoming, outgoing) => {
    const { input } = JSON.parse(await text(incoming))
    const data = [input].flat().map((each: string, index: number) => ({
      index,
      embedding: vectors.get(each),
    }))
    const isKnown = data.every(({ embedding }) => embedding !== undefined)
    outgoing.writeHead(isKnown ? 200 : 400, { 'Content-Type': 'application/json' })
    outgoing.end(JSON.stringify(isKnown ? { data } : { error: { message: 'unknown words' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
