import { pipeline, type Readable } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'
import type { HonoRequest } from 'hono'
import type { Caller } from '../../access/caller.ts'
import type { Requester } from '../../concurrency/limiter.ts'
import { createTurns } from '../../concurrency/turns.ts'
import { badRequest, bodyRequired, ServiceError, tooLarge } from '../../errors.ts'
import { Gathered } from '../../json/gathered.ts'
import { BodyBudget, type BodyRoom } from './budget.ts'
import type { BodyFormat } from './format.ts'
import { type BodySource, receivedChunks } from './received-chunks.ts'

export const contentEncodings = ['gzip', 'deflate'] as const
/** Of everything that has neither embeddings nor lists of text_ids: small enough to be parsed at once, also from callers without a key. */
const maxUsualBytes = 1024 * 1024
/** Of one embedding, and of ten thousand text_ids and digests. */
const maxListBytes = 8 * 1024 * 1024
/** Some requests of the usual size fit also where the largest body is small. */
const minInFlight = 64 * 1024 * 1024

/** Smaller ones are parsed in less than a millisecond. */
const smallBytes = 32 * 1024

/** In bytes, after decompression: of one body, and of all that are in memory. */
export const bodyLimits = (maxBodyBytes: number) => ({
  bulk: maxBodyBytes,
  usual: Math.min(maxUsualBytes, maxBodyBytes),
  list: Math.min(maxListBytes, maxBodyBytes),
  inFlight: Math.max(4 * maxBodyBytes, minInFlight),
})

/** Of all bodies that are in memory, whole or in part. */
export const bodyBudget = (maxBodyBytes: number) =>
  new BodyBudget(bodyLimits(maxBodyBytes).inFlight)

/** A body that was read. */
export interface ReadBody {
  readonly bytes: number
  /** Says that it has been handled; until then it counts as one that is in memory. */
  release(): void
}

export type BodyReader = (
  request: HonoRequest,
  caller: Caller,
  format: BodyFormat,
  requester: Requester,
  open?: () => BodySource,
) => Promise<ReadBody>

/**
 * Makes what reads a body and hands it to the validators, whatever the Content-Type says: `curl -d`
 * without a header must work. It throws 400 for what the format cannot read, 408 for what comes too
 * slowly, 413 above the limit (after decompression), 503 for more than can be read at once.
 */
export function createBodyReader(
  maxBodyBytes: number,
  budget = bodyBudget(maxBodyBytes),
): BodyReader {
  const limits = bodyLimits(maxBodyBytes)
  const turn = createTurns()
  return async (request, caller, format, requester, open) => {
    const room = budget.open(caller)
    try {
      const bytes = await readAll(request, open, limits[format.size], room)
      // The format may take the bytes over.
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
 * The validators call `request.json()`. It is replaced, since hono's cache of bodies would print the value
 * and parse it again, which makes null of 1e400. The cast says what hono's type leaves open: the value has
 * the type that the validators find it to have.
 */
export function giveToValidators(request: HonoRequest, value: unknown): void {
  request.json = (async () => value) as HonoRequest['json']
  // Whoever sets one header has node-server read them all anew.
  if (request.header('content-type') === 'application/json') return
  request.raw.headers.set('content-type', 'application/json')
}

async function readAll(
  request: HonoRequest,
  open: (() => BodySource) | undefined,
  limit: number,
  room: BodyRoom,
): Promise<Buffer<ArrayBuffer>> {
  const announced = Number(request.header('content-length')) || 0
  // Before anything of it is read.
  if (announced > limit) throw tooLarge(limit)
  const encoding = request.header('content-encoding')?.toLowerCase() || 'identity'
  const decode = decoderOf(encoding)
  room.check(announced)
  const gathered = new Gathered(encoding === 'identity' ? announced : 0)
  try {
    // Already this throws when the client has hung up meanwhile.
    const source = sourceOf(request, open)
    if (source === undefined) return gathered.bytes()
    for await (const chunk of decode(receivedChunks(source, limit))) {
      if (gathered.size + chunk.byteLength > limit) throw tooLarge(limit)
      room.take(chunk.byteLength)
      gathered.append(chunk)
    }
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw new ServiceError('bad-request', 'The body could not be read or decompressed', { cause })
  }
  return gathered.bytes()
}

/** @returns undefined where there is no body */
export function sourceOf(
  request: HonoRequest,
  open: (() => BodySource) | undefined,
): BodySource | undefined {
  return open === undefined ? request.raw.body?.getReader() : open()
}

type Chunks = AsyncIterable<Uint8Array>

const decompressors = { gzip: createGunzip, deflate: createInflate }

/** @throws 400 for an encoding that is not known */
export function decoderOf(encoding: string): (chunks: Chunks) => Chunks {
  if (encoding === 'identity') return (chunks) => chunks
  const known = contentEncodings.find((name) => name === encoding)
  if (known === undefined) {
    throw badRequest(`Content-Encoding must be ${contentEncodings.join(', ')} or identity`)
  }
  // What fails is thrown where the last stream is read.
  return (chunks): Readable => pipeline(chunks, decompressors[known](), () => {})
}
