import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Caller } from '../access/caller.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../service/metrics/metrics.ts'
import type { AppEnv } from './operation.ts'

/** Writes a line of log for each request and counts it. */
export function observe(log: Log, metrics: Metrics): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const start = performance.now()
    metrics.begin()
    await next()
    const ms = performance.now() - start
    const method = c.req.method
    const route = c.get('route') ?? routeOf(c)
    const { status } = c.res
    metrics.end({ method, route, status, ms, mode: c.get('searchMode'), upload: uploadOf(c) })
    const [id, caller] = [c.get('requestId'), nameOf(c.get('caller'))]
    log.debug('request', { id, method, route, status, ms: Math.round(ms * 10) / 10, caller })
  }
}

/** Of what is no operation: the documentation, and what does not exist. */
const routeOf = (c: Context) =>
  matchedRoutes(c).findLast(({ method }) => method !== 'ALL')?.path ?? 'none'

function uploadOf(c: Context<AppEnv>) {
  const [bytes, embeddings] = [c.get('bodyBytes'), c.get('uploaded')]
  return bytes === undefined || embeddings === undefined ? undefined : { bytes, embeddings }
}

/** Handles of users do not begin with _, and hold no other signs. */
function nameOf(caller: Caller | undefined): string {
  if (caller === undefined || caller.kind === 'anonymous') return '_nobody'
  return caller.kind === 'admin' ? '_admin' : caller.handle
}
