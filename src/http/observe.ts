import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Caller } from '../access/caller.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { AppEnv } from './operation.ts'

/** Writes a line of log for each request and counts it. */
export function observe(log: Log, metrics: Metrics): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const start = performance.now()
    metrics.begin()
    await next()
    const ms = performance.now() - start
    const { requestId: id, caller, searchMode: mode } = c.var
    const request = { method: c.req.method, route: routeOf(c), status: c.res.status }
    metrics.end({ ...request, ms, mode, upload: uploadOf(c) })
    log.debug('request', { id, ...request, ms: Number(ms.toFixed(1)), caller: nameOf(caller) })
  }
}

/** The pattern of the operation's path. The path itself might hold anything, even a key. */
function routeOf(c: Context): string {
  const route = matchedRoutes(c).findLast(({ method }) => method !== 'ALL')
  return route?.path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}') ?? 'none'
}

function uploadOf({ var: { bodyBytes, uploaded } }: Context<AppEnv>) {
  if (bodyBytes === undefined || uploaded === undefined) return undefined
  return { bytes: bodyBytes, embeddings: uploaded }
}

/** Handles of users do not begin with _, and hold no other signs. */
function nameOf(caller: Caller | undefined): string {
  if (caller === undefined || caller.kind === 'anonymous') return '_nobody'
  return caller.kind === 'admin' ? '_admin' : caller.handle
}
