import type { HonoRequest } from 'hono'
import { badRequest, ServiceError } from '../errors.ts'

/** After this much beyond the limit the rest of a too large body is no longer read away. */
const drainBytes = 512 * 1024 * 1024

/**
 * Reads a JSON body of at most `limit` bytes (after decompression) and hands it to the validators,
 * whatever the Content-Type says: `curl -d` without a header must work.
 * @throws 400 for what is not JSON, 413 above the limit
 */
export async function readJsonBody(request: HonoRequest, limit: number): Promise<void> {
  const bytes = await readAll(request, limit)
  const value = parse(bytes)
  // Not its cache, which hono reads back by way of text: parsed twice, and 1e400 turned into null.
  Object.assign(request, { json: () => Promise.resolve(value) })
  request.raw.headers.set('content-type', 'application/json')
}

async function readAll(request: HonoRequest, limit: number): Promise<Buffer> {
  const body = request.raw.body
  if (body === null) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let size = 0
  const encoding = request.header('content-encoding')?.toLowerCase() || 'identity'
  const plain = decompressed(body, encoding)
  try {
    for await (const chunk of plain) {
      size += chunk.byteLength
      if (size <= limit) chunks.push(chunk)
      else chunks.length = 0
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
  return Buffer.concat(chunks, size)
}

function decompressed(body: ReadableStream<Uint8Array>, encoding: string) {
  if (encoding === 'identity') return body
  if (encoding === 'gzip' || encoding === 'deflate') {
    return body.pipeThrough(new DecompressionStream(encoding))
  }
  throw badRequest('Content-Encoding must be gzip, deflate or identity')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Millions of tiny objects take the parser minutes and gigabytes; no real batch comes near. */
const maxContainers = 1_000_000

function refuseDense(bytes: Buffer): void {
  let containers = 0
  for (const opening of ['{', '[']) {
    for (let at = bytes.indexOf(opening); at !== -1; at = bytes.indexOf(opening, at + 1)) {
      containers += 1
      if (containers > maxContainers) {
        throw badRequest(`The body holds more than ${maxContainers} objects and arrays`)
      }
    }
  }
}

function parse(bytes: Buffer): unknown {
  if (bytes.byteLength === 0) throw badRequest('A JSON body is required')
  refuseDense(bytes)
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    // The parser's message quotes the body, which may hold a secret: only its position is passed on.
    const position = /position \d+/.exec(error instanceof Error ? error.message : '')?.[0]
    throw badRequest(`The body is not valid JSON${position ? ` (at ${position})` : ''}`)
  }
}
