import type { IncomingMessage } from 'node:http'
import type { BodySource } from './received-chunks.ts'

/**
 * Reads the body of a request. Each read takes everything that has arrived: a web stream would hand
 * over every chunk separately, and a client may send chunks of one byte.
 * @param turn waits for a turn, so that only one chunked body is read in a round of the event loop
 */
export function nodeBody(request: IncomingMessage, turn: () => Promise<void>): BodySource {
  const isChunked = request.headers['transfer-encoding'] !== undefined
  const parts: AsyncIterator<Uint8Array, undefined> = request.iterator({ destroyOnReturn: false })
  return {
    async read() {
      if (isChunked) await turn()
      return parts.next()
    },
    arrived() {
      const bytes: Uint8Array | null = request.complete && !isChunked ? request.read() : null
      return bytes ?? undefined
    },
  }
}
