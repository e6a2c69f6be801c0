import type { IncomingMessage } from 'node:http'
import type { BodySource } from './received-chunks.ts'

/**
 * The body of a request, where each read takes all that has come: a web stream would hand over every chunk for
 * itself, of which a client may make one of each byte.
 * @param turn waits for one's turn: of those who send such chunks only one has its own read in a round of the
 * event loop
 */
export function nodeBody(request: IncomingMessage, turn: () => Promise<void>): BodySource {
  const isChunked = request.headers['transfer-encoding'] !== undefined
  const parts: AsyncIterator<Uint8Array, undefined> = request.iterator({ destroyOnReturn: false })
  return {
    async read() {
      if (isChunked) await turn()
      return parts.next()
    },
  }
}
