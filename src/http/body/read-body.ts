import { pipeline, type Readable } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'
import type { HonoRequest } from 'hono'
import type { Caller } from '../../access/caller.ts'
import type { Requester } from '../../concurrency/limiter.ts'
import { createTurns } from '../../concurrency/yielding.ts'
import { badRequest, bodyRequired, ServiceError, tooLarge } from '../../errors.ts'
import { Gathered } from '../../json/gathered.ts'
import type { HeldChunks } from '../../json/lines.ts'
import { BodyBudget, type BodyRoom } from './budget.ts'
import type { BodyFormat } from './format.ts'
import { type BodySource, receivedChunks } from './received-chunks.ts'

export const contentEncodings = ['gzip', 'deflate'] as const
/**
 * The limit for bodies without embeddings or lists of text_ids. Such a body is small enough to be
 * parsed at once, even for callers without a key.
 */
const maxUsualBytes = 1024 * 1024
/** The limit for one embedding, or for ten thousand text_ids and digests. */
const maxListBytes = 8 * 1024 * 1024
/**
 * The least room for all bodies, so that several requests fit even if the largest body is small.
 */
const minInFlight = 64 * 1024 * 1024

/** Smaller bodies are parsed in less than a millisecond. */
const smallBytes = 32 * 1024

/**
 * Limits in bytes, after decompression: for one body of each size, and for all bodies in memory.
 */
export const bodyLimits = (maxBodyBytes: number) => ({
  bulk: maxBodyBytes,
  usual: Math.min(maxUsualBytes, maxBodyBytes),
  list: Math.min(maxListBytes, maxBodyBytes),
  inFlight: Math.max(4 * maxBodyBytes, minInFlight),
})

/** The budget for all bodies that are in memory, whole or in part. */
export const bodyBudget = (maxBodyBytes: number) =>
  new BodyBudget(bodyLimits(maxBodyBytes).inFlight)

interface ReadBody {
  readonly bytes: number
  /** Marks the body as handled. Until then it counts as held in memory. */
  release(): void
}

export type BodyReader = ReturnType<typeof createBodyReader>

/**
 * Creates the function that reads a body and hands it to the validators. The function ignores the
 * Content-Type, because `curl -d` without a header must work. It throws 400 if the format cannot
 * read the body, 408 if it arrives too slowly, 413 above the limit (after decompression), and 503
 * if there is no room for it now.
 */
export function createBodyReader(maxBodyBytes: number, budget = bodyBudget(maxBodyBytes)) {
  const limits = bodyLimits(maxBodyBytes)
  const turn = createTurns()
  return async (
    request: HonoRequest,
    caller: Caller,
    format: BodyFormat,
    requester: Requester,
    open?: () => BodySource,
  ): Promise<ReadBody> => {
    const room = budget.open(caller)
    try {
      const bytes = await readAll(request, open, limits[format.size], room)
      // `parse` may take over the buffer, so its length is read first.
      const { length } = bytes
      if (length === 0) throw bodyRequired()
      if (length > smallBytes) await turn()
      const value = await format.parse(bytes, requester, request)
      if (format.list !== undefined && Array.isArray(value)) throw bareList(format.list)
      giveToValidators(request, value)
      return { bytes: length, release: room.release }
    } catch (error) {
      room.release()
      const isTooLarge = error instanceof ServiceError && error.kind === 'too-large'
      throw isTooLarge ? tooLarge(limits[format.size], format.instead) : error
    }
  }
}

const bareList = (field: string) =>
  badRequest(`The body must be an object that has the list in a field: {"${field}": […]}`)

/**
 * Replaces `request.json()`, which the validators call. hono's cache would stringify the parsed
 * value and parse it again, which turns 1e400 into null. The cast is safe because the validators
 * check the value.
 */
export function giveToValidators(request: HonoRequest, value: unknown): void {
  request.json = (async () => value) as HonoRequest['json']
  // Setting a header makes node-server parse all headers again, so this avoids it where possible.
  if (request.header('content-type') === 'application/json') return
  request.raw.headers.set('content-type', 'application/json')
}

/**
 * Reads a whole body, decompressed.
 * @throws 400 if it cannot be decompressed, 408 if it arrives too slowly, 413 if it is longer than
 *   the limit or says so, 503 if there is no room for it now
 */
export async function readAll(
  request: HonoRequest,
  open: (() => BodySource) | undefined,
  limit: number,
  room: BodyRoom,
): Promise<Buffer<ArrayBuffer>> {
  const announced = Number(request.header('content-length')) || 0
  if (announced > limit) throw tooLarge(limit)
  const encoding = request.header('content-encoding')?.toLowerCase() || 'identity'
  const decode = decoderOf(encoding)
  room.check(announced)
  const gathered = new Gathered(encoding === 'identity' ? announced : 0)
  const append = (chunk: Uint8Array) => {
    if (gathered.size + chunk.byteLength > limit) throw tooLarge(limit)
    room.take(chunk.byteLength)
    gathered.append(chunk)
  }
  try {
    // This throws if the client has already hung up, so it stands inside the `try`.
    const source = sourceOf(request, open)
    if (source === undefined) return gathered.bytes()
    // Most bodies have arrived by now, and to wait for parts takes longer than to parse a vector.
    const whole = encoding === 'identity' ? source.arrived?.() : undefined
    if (whole !== undefined) append(whole)
    else for await (const chunk of decode(receivedChunks(source, limit))) append(chunk)
  } catch (cause) {
    throw unreadable(cause)
  }
  return gathered.bytes()
}

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
      throw unreadable(cause)
    }
  },
  release: room.release,
})

const unreadable = (cause: unknown) =>
  cause instanceof ServiceError
    ? cause
    : new ServiceError('bad-request', 'The body could not be read or decompressed', { cause })

/** @returns undefined if there is no body */
function sourceOf(
  request: HonoRequest,
  open: (() => BodySource) | undefined,
): BodySource | undefined {
  return open === undefined ? request.raw.body?.getReader() : open()
}

type Chunks = AsyncIterable<Uint8Array>

const decompressors = { gzip: createGunzip, deflate: createInflate }

/** @throws 400 for an unknown encoding */
function decoderOf(encoding: string): (chunks: Chunks) => Chunks {
  if (encoding === 'identity') return (chunks) => chunks
  const known = contentEncodings.find((name) => name === encoding)
  if (known === undefined) {
    throw badRequest(`Content-Encoding must be ${contentEncodings.join(', ')} or identity`)
  }
  // The callback ignores errors because they are also thrown where the last stream is read.
  return (chunks): Readable => pipeline(chunks, decompressors[known](), () => {})
}
