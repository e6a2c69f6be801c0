import type { HonoRequest } from 'hono'
import { badRequest, ServiceError } from '../../errors.ts'
import { arriving } from './arriving.ts'
import { decoderOf } from './read-body.ts'

/**
 * A body of any length, decompressed, as it comes. For operations that declare `streamedBody`.
 * @throws 400 for what cannot be decompressed, 408 for what comes too slowly
 */
export async function* bodyChunks(request: HonoRequest): AsyncGenerator<Uint8Array, void> {
  const decode = decoderOf(request.header('content-encoding')?.toLowerCase() || 'identity')
  const { body } = request.raw
  if (body === null) return
  try {
    yield* decode(arriving(body, Number.POSITIVE_INFINITY))
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw badRequest('The body could not be read or decompressed')
  }
}
