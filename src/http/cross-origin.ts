import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

/** What a page of another origin may read of an answer. */
const exposedHeaders = [
  'X-Request-Id',
  'X-Search-Mode',
  'X-Search-Hidden',
  'X-Search-Note',
  'RateLimit',
  'Server-Timing',
  'Allow',
  'Link',
  'Location',
  'Retry-After',
]

/**
 * Lets pages of any origin use the service. Only what a browser asks beforehand is left to hono's
 * middleware: it touches `c.res` before there is an answer, which makes hono copy each answer, and its
 * body a stream (a quarter of the processor time of a short request).
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
