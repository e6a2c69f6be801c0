import type { HonoRequest } from 'hono'
import { badRequest, ServiceError } from '../errors.ts'
import { splitJson } from './json/split.js'
import { SplitterPool } from './json/splitter-pool.ts'
import { jsonValue } from './json/value.ts'

export const contentEncodings = ['gzip', 'deflate'] as const
/** After this much beyond the limit the rest of a too large body is no longer read away. */
const drainBytes = 512 * 1024 * 1024
/** From this size on reading the numbers of a body would keep other requests waiting. */
const largeBytes = 1024 * 1024

/** Resolves to the size of the body in bytes. */
export type BodyReader = (request: HonoRequest) => Promise<number>

/**
 * Makes what reads a JSON body of at most `limit` bytes (after decompression) and hands it to the
 * validators, whatever the Content-Type says: `curl -d` without a header must work.
 * It throws 400 for what is not JSON, 413 above the limit, 503 for more than can be read at once.
 */
export function createBodyReader(limit: number): BodyReader {
  const pool = new SplitterPool()
  return async (request) => {
    const bytes = await readAll(request, limit)
    // Another thread may take the bytes over.
    const { length } = bytes
    if (length === 0) throw badRequest('A JSON body is required')
    const split = length < largeBytes ? splitJson(bytes) : await pool.split(bytes)
    const value = jsonValue(split)
    // Not its cache, which hono reads back by way of text: parsed twice, and 1e400 turned into null.
    Object.assign(request, { json: () => Promise.resolve(value) })
    request.raw.headers.set('content-type', 'application/json')
    return length
  }
}

async function readAll(request: HonoRequest, limit: number): Promise<Buffer<ArrayBuffer>> {
  const body = request.raw.body
  if (body === null) return Buffer.alloc(0)
  const encoding = request.header('content-encoding')?.toLowerCase() || 'identity'
  const plain = decompressed(body, encoding)
  const announced = encoding === 'identity' ? Number(request.header('content-length')) : 0
  const gathered = new Gathered(announced || 0)
  let size = 0
  try {
    for await (const chunk of plain) {
      size += chunk.byteLength
      if (size <= limit) gathered.append(chunk)
      else gathered.clear()
      // Read the rest away, so that a client that sends before it reads gets the answer;
      // but never go on inflating what may be a bomb.
      if (size > limit && (encoding !== 'identity' || size > limit + drainBytes)) break
    }
  } catch (cause) {
    throw new ServiceError('bad-request', 'The body could not be read or decompressed', { cause })
  }
  if (size > limit) {
    throw new ServiceError('too-large', `The body is larger than the limit of ${limit} bytes`)
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

  clear(): void {
    this.#buffer = Buffer.allocUnsafeSlow(0)
    this.#size = 0
  }

  bytes(): Buffer<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#size)
  }
}

function decompressed(body: ReadableStream<Uint8Array>, encoding: string) {
  if (encoding === 'identity') return body
  const known = contentEncodings.find((name) => name === encoding)
  if (known !== undefined) return body.pipeThrough(new DecompressionStream(known))
  throw badRequest(`Content-Encoding must be ${contentEncodings.join(', ')} or identity`)
}
