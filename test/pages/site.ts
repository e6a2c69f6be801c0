import { once } from 'node:events'
import { createServer, type RequestListener, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** What listens beside the service, on a free port. */
async function listen(handle: RequestListener) {
  const server = createServer(handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It keeps no program alive.
  server.unref()
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on no port')
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { host: `127.0.0.1:${address.port}`, stop }
}

/** A proxy that serves the service below a path of its own, until the end of the program. */
export async function startProxy(target: string, below: string) {
  const { host } = await listen((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming
    if (!url.startsWith(below)) return void outgoing.writeHead(404).end()
    const onward = request(target + url.slice(below.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
  return { url: `http://${host}${below}` }
}

/** An OpenAI-compatible provider that knows these texts. */
export function startProvider(vectors: ReadonlyMap<string, readonly number[]>) {
  return listen(async (incoming, outgoing) => {
    const { input } = JSON.parse(await text(incoming))
    const data = [input].flat().map((each: string, index: number) => ({
      index,
      embedding: vectors.get(each),
    }))
    const isKnown = data.every(({ embedding }) => embedding !== undefined)
    outgoing.writeHead(isKnown ? 200 : 400, { 'Content-Type': 'application/json' })
    outgoing.end(JSON.stringify(isKnown ? { data } : { error: { message: 'unknown words' } }))
  })
}
