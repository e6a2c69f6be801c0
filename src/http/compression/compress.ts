import { availableParallelism } from 'node:os'
import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { Limiter } from '../../concurrency/limiter.ts'
import { ServiceError } from '../../errors.ts'
import type { AppEnv } from '../env.ts'
import { requesterOf } from '../requester.ts'
import { encode, encodeStream } from './encode.ts'
import { type Choice, negotiate } from './negotiate.ts'

/** Answers up to this length, in bytes, fit into the packet that carries their headers. */
const minBytes = 1024
const compressible = /^(text\/|image\/svg|application\/([\w.+-]*json|yaml))/

/**
 * Each stream holds at least a quarter of a megabyte while its client reads. Streams beyond this
 * number go out uncompressed.
 */
const maxStreams = 64
/**
 * The most code units of answers that wait for compression or are being compressed. Answers beyond
 * it go out uncompressed.
 */
const maxWaiting = 64 * 1024 * 1024

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null

/**
 * Compresses answers off the main thread, for clients that ask for it (Accept-Encoding). If too
 * many answers wait, further ones go out uncompressed, which every client accepts. hono's own
 * middleware has no levels and no brotli, compresses even the smallest answers, and has to copy
 * each answer to look at it.
 */
export function compress(): MiddlewareHandler<AppEnv> {
  const encoded = createEncoder()
  return async (c, next) => {
    c.header('Vary', 'Accept-Encoding')
    const header = c.req.header('Accept-Encoding')
    const choice = header === undefined ? undefined : negotiate(header)
    if (choice === undefined) return next()
    const bodyOf = keepBody(c)
    await next()
    const body = bodyOf()
    if (body === null || (lengthOf(body) <= minBytes && !choice.always)) return
    if (c.get('streamsSlowly') === true) return
    const { headers, status } = c.res
    if (!compressible.test(headers.get('Content-Type') ?? '')) return
    if (c.req.method === 'HEAD') return headers.set('Content-Encoding', choice.coding)
    const answer = await encoded(c, body, choice)
    if (answer === undefined) return
    headers.set('Content-Encoding', choice.coding)
    // Otherwise hono would copy the answer that is being replaced.
    c.res = undefined
    c.res = new Response(answer, { status, headers })
  }
}

/** @returns a function that encodes a body, or returns undefined if too many wait */
function createEncoder() {
  const limiter = new Limiter({
    // The database and other requests need processors too.
    maxConcurrent: Math.max(1, Math.min(4, availableParallelism() - 1)),
    queueTimeoutMs: 10_000,
    maxQueue: 1_000,
  })
  let streams = 0
  let waiting = 0

  return async (c: Context<AppEnv>, body: NonNullable<Body>, { coding }: Choice) => {
    if (body instanceof ReadableStream) {
      if (streams >= maxStreams) return undefined
      streams += 1
      return encodeStream(body, coding, () => {
        streams -= 1
      })
    }
    if (waiting + body.length > maxWaiting) return undefined
    waiting += body.length
    try {
      return await limiter.run(() => encode(body, coding), requesterOf(c.req, '', c.get('caller')))
    } catch (error) {
      if (error instanceof ServiceError) return undefined
      throw error
    } finally {
      waiting -= body.length
    }
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
