import { pipeline, type Readable } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'
import type { HonoRequest } from 'hono'
import type { Caller } from '../../access/caller.ts'
import { splitJson } from '../../embeddings/upload-body/split.js'
import { SplitterPool } from '../../embeddings/upload-body/splitter-pool.ts'
import { jsonValue } from '../../embeddings/upload-body/value.ts'
import { badRequest, ServiceError, tooLarge } from '../../errors.ts'
import { requesterOf } from '../permission.ts'
import { arriving } from './arriving.ts'
import { BodyBudget, type BodyRoom } from './body-budget.ts'

export const contentEncodings = ['gzip', 'deflate'] as const
/** From this size on reading the numbers of a body would keep other requests waiting. */
const largeBytes = 1024 * 1024
/** Some requests of the usual size fit also where the largest body is small. */
const leastInFlight = 64 * 1024 * 1024

/** Which limit a body has: that of what is uploaded in bulk, or that of everything else. */
export type BodySize = 'bulk' | 'usual'

/**
 * In bytes, after decompression: of one body, and of all that are in memory. What is not uploaded in
 * bulk is small enough to be read without a thread, also from callers without a key.
 */
export const bodyLimits = (maxBodyBytes: number) => ({
  bulk: maxBodyBytes,
  usual: Math.min(largeBytes, maxBodyBytes),
  inFlight: Math.max(4 * maxBodyBytes, leastInFlight),
})

/** A body that was read. */
export interface ReadBody {
  readonly bytes: number
  /** Says that it has been handled; until then it counts as one that is in memory. */
  release(): void
}

export type BodyReader = (
  request: HonoRequest,
  caller: Caller | undefined,
  size: BodySize,
) => Promise<ReadBody>

/**
 * Makes what reads a JSON body and hands it to the validators, whatever the Content-Type says:
 * `curl -d` without a header must work. It throws 400 for what is not JSON, 408 for what comes too
 * slowly, 413 above the limit (after decompression), 503 for more than can be read at once.
 */
export function createBodyReader(maxBodyBytes: number): BodyReader {
  const limits = bodyLimits(maxBodyBytes)
  const budget = new BodyBudget(limits.inFlight)
  const pool = new SplitterPool()
  return async (request, caller, size) => {
    const room = budget.open(caller)
    try {
      const bytes = await readAll(request, limits[size], room)
      // Another thread may take the bytes over.
      const { length } = bytes
      if (length === 0) throw badRequest('A JSON body is required')
      const isLarge = length >= largeBytes
      const split = isLarge ? await pool.split(bytes, requesterOf(request)) : splitJson(bytes)
      const value = jsonValue(split)
      // Not its cache, which hono reads back by way of text: parsed twice, and 1e400 turned into null.
      Object.assign(request, { json: () => Promise.resolve(value) })
      request.raw.headers.set('content-type', 'application/json')
      return { bytes: length, release: room.release }
    } catch (error) {
      room.release()
      throw error
    }
  }
}

async function readAll(
  request: HonoRequest,
  limit: number,
  room: BodyRoom,
): Promise<Buffer<ArrayBuffer>> {
  const announced = Number(request.header('content-length')) || 0
  // Before anything of it is read.
  if (announced > limit) throw tooLarge(limit)
  const encoding = request.header('content-encoding')?.toLowerCase() || 'identity'
  const decode = decoderOf(encoding)
  room.check(announced)
  const { body } = request.raw
  if (body === null) return Buffer.alloc(0)
  const gathered = new Gathered(encoding === 'identity' ? announced : 0)
  try {
    for await (const chunk of decode(arriving(body, limit))) {
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

/** Bytes in a buffer of their own, which can be handed to another thread. */
class Gathered {
  readonly #announced: number
  #buffer = Buffer.allocUnsafeSlow(0)
  #size = 0

  constructor(announced: number) {
    this.#announced = announced
  }

  get size(): number {
    return this.#size
  }

  append(chunk: Uint8Array): void {
    const size = this.#size + chunk.byteLength
    if (size > this.#buffer.length) {
      // In proportion to what has come: a length is announced sooner than sent.
      const enough = this.#announced < size ? 2 * size : Math.min(8 * size, this.#announced)
      const larger = Buffer.allocUnsafeSlow(enough)
      larger.set(this.bytes())
      this.#buffer = larger
    }
    this.#buffer.set(chunk, this.#size)
    this.#size = size
  }

  bytes(): Buffer<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#size)
  }
}

type Chunks = AsyncIterable<Uint8Array>

const decompressors = { gzip: createGunzip, deflate: createInflate }

/** @throws 400 for an encoding that is not known */
function decoderOf(encoding: string): (chunks: Chunks) => Chunks {
  if (encoding === 'identity') return (chunks) => chunks
  const known = contentEncodings.find((name) => name === encoding)
  if (known === undefined) {
    throw badRequest(`Content-Encoding must be ${contentEncodings.join(', ')} or identity`)
  }
  // What fails is thrown where the last stream is read.
  return (chunks): Readable => pipeline(chunks, decompressors[known](), () => {})
}
