import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { callerName, namedKeyOf } from '../access/caller.ts'
import type { Log } from '../log.ts'
import type { ClientAddress } from './client-address.ts'
import { presentedKey } from './credential.ts'
import type { AppEnv } from './env.ts'

interface AnsweredRequest {
  readonly method: string
  /** The pattern of the path, which keeps the number of distinct values small. */
  readonly route: string
  readonly status: number
  readonly ms: number
}

/** Counts requests. */
export interface RequestRecorder {
  begin(): void
  end(request: AnsweredRequest): void
}

interface ObserveOptions {
  readonly log: Log
  readonly recorder: RequestRecorder
  readonly clientAddress: ClientAddress
  /** Requests that take more milliseconds are logged as warnings; 0 for none. */
  readonly slowMs: number
}

/** The most characters of a value in the log; clients choose how long a path is. */
const maxShown = 500

/** Logs and counts each request. */
export function observe(options: ObserveOptions): MiddlewareHandler<AppEnv> {
  const { log, recorder, clientAddress, slowMs } = options
  return async (c, next) => {
    const start = performance.now()
    recorder.begin()
    await next()
    const ms = performance.now() - start
    const method = c.req.method
    const route = c.get('route') ?? routeOf(c)
    const { status } = c.res
    recorder.end({ method, route, status, ms })
    const from = c.get('caller') ?? { kind: 'anonymous' }
    const caller = callerName(from)
    const key = namedKeyOf(from)?.handle
    const id = c.get('requestId')
    const trace_id = traceOf(c.req.header('traceparent'))
    const line = { id, method, route, status, ms: Math.round(ms * 10) / 10, caller, key, trace_id }
    const isRefused = status >= 400 && status < 500
    // An answer 202 has waited for work that now goes on in the background.
    const isSlow = slowMs > 0 && ms > slowMs && status !== 202
    if (!isRefused && !isSlow) return log.debug('request', line)
    // The address comes first, so that no text chosen by a client stands before it.
    const details = { client: clientAddress(c), ...line, ...(isRefused && refusalOf(c)) }
    if (isSlow) log.warn('slow request', { ...details, ...costsOf(c) })
    // Operators who do not log every request still want to see who tries out keys.
    else if (status === 401 || status === 403) log.info('request refused', details)
    else log.debug('request refused', details)
  }
}

/** The trace that the request belongs to, by https://www.w3.org/TR/trace-context, if it is valid. */
const traceOf = (traceparent = '') =>
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/.exec(
    traceparent,
  )?.[1]

/** What a refused request was about and why it was refused. Keys are masked wherever they occur. */
function refusalOf(c: Context<AppEnv>) {
  const { user, project, instance } = c.req.param() as Readonly<Record<string, string | undefined>>
  const key = presentedKey(c.req)
  const shown = (text: string | undefined) => {
    const withoutOurs = text?.replaceAll(/smb_[\w-]{20,}/g, 'smb_…')
    const bare = key === undefined ? withoutOurs : withoutOurs?.replaceAll(key, '…')
    return bare?.slice(0, maxShown)
  }
  return {
    user: shown(user),
    project: shown(project),
    instance: shown(instance),
    detail: shown(c.get('detail')),
    ...c.get('logged'),
  }
}

/** The milliseconds spent on each part, and the bytes of the body, as far as they are known. */
function costsOf(c: Context<AppEnv>) {
  const parts = c.get('metric')?.headers.flatMap((header) => {
    const [, name, ms] = /^(\w+);dur=([\d.]+)/.exec(header) ?? []
    return name === undefined || name === 'total' ? [] : [[name, Number(ms)]]
  })
  return { spent: Object.fromEntries(parts ?? []), bytes: c.get('bodyBytes') }
}

/** The route of a request that reached no operation: the documentation, or an unknown path. */
const routeOf = (c: Context) =>
  matchedRoutes(c).findLast(({ method }) => method !== 'ALL')?.path ?? 'none'
