import type { HonoRequest } from 'hono'
import { badRequest, ServiceError } from '../../errors.ts'
import type { HeldChunks } from '../../json/lines.ts'
import type { BodyRoom } from './budget.ts'
import { decoderOf, sourceOf } from './read-body.ts'
import { type BodySource, receivedChunks } from './received-chunks.ts'

/**
 * Streams a request body of any length, decompressed, as it arrives. Iteration throws 400 if the
 * body cannot be decompressed, 408 if it arrives too slowly, and 503 if there is no room for it.
 */
export const bodyStream = (
  request: HonoRequest,
  room: BodyRoom,
  open?: () => BodySource,
): HeldChunks => ({
  async *[Symbol.asyncIterator]() {
    const decode = decoderOf(request.header('content-encoding')?.toLowerCase() || 'identity')
    try {
      const source = sourceOf(request, open)
      if (source === undefined) return
      for await (const chunk of decode(receivedChunks(source, Number.POSITIVE_INFINITY))) {
        room.take(chunk.byteLength)
        yield chunk
      }
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause
      throw badRequest('The body could not be read or decompressed')
    }
  },
  release: room.release,
})
