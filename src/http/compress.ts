import { availableParallelism } from 'node:os'
import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import type { Context, MiddlewareHandler } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { Limiter } from '../concurrency/limiter.ts'
import { ServiceError } from '../errors.ts'
import type { AppEnv } from './env.ts'
import { requesterOf } from './requester.ts'

/** Answers up to this length, in bytes, fit into the packet that carries their headers. */
const minBytes = 1024
const compressible = /^(text\/|image\/svg|application\/([\w.+-]*json|yaml))/
/**
 * Each stream holds at least a quarter of a megabyte while its client reads. Streams beyond this
 * number go out uncompressed.
 */
const maxStreams = 64
/** The most code units of answers that wait for compression or are being compressed. */
const maxWaiting = 64 * 1024 * 1024
/**
 * Level 2 makes 200 vectors of 1,536 random float32 2 % larger than zlib's usual level 6, in a fifth
 * of the time. Level 1 is as slow, and Bun's hardly compresses. With larger chunks, the main thread
 * has fewer of them to take from the compressing thread.
 */
const gzipOptions = { level: 2, chunkSize: 256 * 1024 }
const gzipAll = promisify(gzip)

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null

/**
 * Compresses answers with gzip off the main thread, for clients that ask for it (Accept-Encoding).
 * If too many answers wait, further ones go out uncompressed, which every client accepts. hono's own
 * middleware knows only level 6, which takes four times as long, compresses even the smallest
 * answers, and has to copy each answer to look at it.
 */
export function compress(): MiddlewareHandler<AppEnv> {
  const compressed = createEncoder()
  const compressedOnce = keepCompressed(compressed)
  return async (c, next) => {
    c.header('Vary', 'Accept-Encoding')
    const accepted = c.req.header('Accept-Encoding')
    if (accepted === undefined || !prefersGzip(accepted)) return next()
    const bodyOf = keepBody(c)
    await next()
    const body = bodyOf()
    if (body === null || lengthOf(body) <= minBytes || c.get('streamsSlowly') === true) return
    const { headers, status } = c.res
    if (!compressible.test(headers.get('Content-Type') ?? '')) return
    if (c.req.method === 'HEAD') return headers.set('Content-Encoding', 'gzip')
    const answer = await (c.get('isLasting') ? compressedOnce : compressed)(c, body)
    if (answer === undefined) return
    headers.set('Content-Encoding', 'gzip')
    // Otherwise hono would copy the answer that is being replaced.
    c.res = undefined
    c.res = new Response(answer, { status, headers })
  }
}

/** Whether a client prefers gzip to no encoding, by RFC 9110, 12.5.3. */
function prefersGzip(header: string): boolean {
  const weights = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]))
  const weight = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0
  return weight > 0 && weight >= (weights.get('identity') ?? 0)
}

/** @returns a function that compresses a body, or returns undefined if too many wait */
function createEncoder() {
  const limiter = new Limiter({
    // The database and other requests need processors too.
    maxConcurrent: Math.max(1, Math.min(4, availableParallelism() - 1)),
    queueTimeoutMs: 10_000,
    maxQueue: 1_000,
  })
  let streams = 0
  let waiting = 0

  return async (c: Context<AppEnv>, body: NonNullable<Body>) => {
    if (body instanceof ReadableStream) {
      if (streams >= maxStreams) return undefined
      streams += 1
      return compressStream(body, () => {
        streams -= 1
      })
    }
    if (waiting + body.length > maxWaiting) return undefined
    waiting += body.length
    try {
      const requester = requesterOf(c.req, '', c.get('caller'))
      return await limiter.run(() => gzipAll(body, gzipOptions), requester)
    } catch (error) {
      if (error instanceof ServiceError) return undefined
      throw error
    } finally {
      waiting -= body.length
    }
  }
}

/** Keeps what a body is compressed to as long as the body itself. */
function keepCompressed(compressed: ReturnType<typeof createEncoder>): typeof compressed {
  const kept = new WeakMap<object, Awaited<ReturnType<typeof compressed>>>()
  return async (c, body) => {
    if (typeof body === 'string') return compressed(c, body)
    const answer = kept.get(body) ?? (await compressed(c, body))
    if (answer !== undefined) kept.set(body, answer)
    return answer
  }
}

/**
 * Compresses a stream as it is read. If reading fails, the compressed stream breaks off as well.
 * @param ended called once, also if the stream was broken off
 */
export function compressStream(
  stream: ReadableStream<Uint8Array>,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const encoder = createGzip(gzipOptions)
  const reader = stream.getReader()
  const encoded: AsyncIterable<Uint8Array> = pipeline(chunksOf(reader), encoder, ended)
  const chunks = encoded[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        // `chunks.return()` does nothing before the first read, and waits for a part in progress.
        encoder.destroy()
        await reader.cancel()
      },
    },
    { highWaterMark: 0 },
  )
}

async function* chunksOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // This does nothing if the stream has ended.
    await reader.cancel()
  }
}

/**
 * Remembers the body that an answer is made of. Reading the body of a finished answer would copy
 * it, which takes as long as everything else in a short request.
 */
function keepBody(c: Context<AppEnv>): () => Body {
  let kept: Body = null
  const body = (data: Body, status?: ContentfulStatusCode, headers?: Record<string, string>) => {
    kept = data
    return c.newResponse(data, status, headers)
  }
  const json = (value: unknown, status?: ContentfulStatusCode, headers?: Record<string, string>) =>
    body(JSON.stringify(value), status, { 'Content-Type': 'application/json', ...headers })
  Object.assign(c, { body, json })
  return () => kept
}

/** In code units for text. The length of a stream is unknown, so it counts as infinite. */
const lengthOf = (body: NonNullable<Body>): number =>
  body instanceof ReadableStream ? Number.POSITIVE_INFINITY : body.length
