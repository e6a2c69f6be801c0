import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

/** The response headers that pages of other origins may read. */
const exposedHeaders = [
  'X-Request-Id',
  'X-Search-Mode',
  'X-Search-Hidden',
  'X-Search-Note',
  'RateLimit',
  'RateLimit-Policy',
  'ETag',
  'Server-Timing',
  'Allow',
  'Link',
  'Location',
  'Retry-After',
]

/**
 * Lets pages of any origin use the service. hono's middleware handles only preflight requests: it
 * touches `c.res` before there is an answer, which makes hono copy each answer and turn its body
 * into a stream (a quarter of the processor time of a short request).
 */
export function crossOrigin(): MiddlewareHandler {
  const exposed = exposedHeaders.join(',')
  const preflight = cors({ origin: '*', exposeHeaders: exposedHeaders, maxAge: 86_400 })
  return (c, next) => {
    if (c.req.method === 'OPTIONS') return preflight(c, next)
    c.header('Access-Control-Allow-Origin', '*')
    c.header('Access-Control-Expose-Headers', exposed)
    return next()
  }
}
