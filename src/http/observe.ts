import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { callerName } from '../access/caller.ts'
import type { Log } from '../log.ts'
import type { AppEnv } from './operation.ts'

/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string
  /** The pattern of its path, so that there are few. */
  readonly route: string
  readonly status: number
  readonly ms: number
}

/** Counts requests. */
export interface RequestRecorder {
  begin(): void
  end(request: AnsweredRequest): void
}

/** Writes a line of log for each request and counts it. */
export function observe(log: Log, recorder: RequestRecorder): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const start = performance.now()
    recorder.begin()
    await next()
    const ms = performance.now() - start
    const method = c.req.method
    const route = c.get('route') ?? routeOf(c)
    const { status } = c.res
    recorder.end({ method, route, status, ms })
    const caller = callerName(c.get('caller') ?? { kind: 'anonymous' })
    const id = c.get('requestId')
    log.debug('request', { id, method, route, status, ms: Math.round(ms * 10) / 10, caller })
  }
}

/** Of what is no operation: the documentation, and what does not exist. */
const routeOf = (c: Context) =>
  matchedRoutes(c).findLast(({ method }) => method !== 'ALL')?.path ?? 'none'
