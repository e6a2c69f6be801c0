import type { HonoRequest } from 'hono'
import { badRequest, ServiceError } from '../../errors.ts'
import { arriving, type BodySource } from './arriving.ts'
import { decoderOf, sourceOf } from './read-body.ts'

/**
 * A body of any length, decompressed, as it comes. For operations that declare `streamedBody`.
 * @throws 400 for what cannot be decompressed, 408 for what comes too slowly
 */
export async function* bodyChunks(
  request: HonoRequest,
  open?: () => BodySource,
): AsyncGenerator<Uint8Array, void> {
  const decode = decoderOf(request.header('content-encoding')?.toLowerCase() || 'identity')
  try {
    const source = sourceOf(request, open)
    if (source !== undefined) yield* decode(arriving(source, Number.POSITIVE_INFINITY))
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw badRequest('The body could not be read or decompressed')
  }
}
