import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { callerName, namedKeyOf } from '../access/caller.ts'
import type { Log } from '../log.ts'
import type { ClientAddress } from './client-address.ts'
import { presentedKey } from './credential.ts'
import type { AppEnv } from './env.ts'

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

interface ObserveOptions {
  readonly log: Log
  readonly recorder: RequestRecorder
  readonly clientAddress: ClientAddress
  /** Milliseconds above which a request is logged as a warning; 0 for none. */
  readonly slowMs: number
}

/** Of a line; clients choose how long a path is. */
const maxShown = 500

/** Writes a line of log for each request and counts it. */
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
    const line = { id, method, route, status, ms: Math.round(ms * 10) / 10, caller, key }
    const isRefused = status >= 400 && status < 500
    // What is accepted goes on in the background, and the answer has waited for it.
    const isSlow = slowMs > 0 && ms > slowMs && status !== 202
    if (!isRefused && !isSlow) return log.debug('request', line)
    // The address comes first: in front of it stands nothing that a client has chosen.
    const details = { client: clientAddress(c), ...line, ...(isRefused && refusalOf(c)) }
    if (isSlow) log.warn('slow request', { ...details, ...costsOf(c) })
    // Who tries keys is of interest to an operator who wants no other line for each request.
    else if (status === 401 || status === 403) log.info('request refused', details)
    else log.debug('request refused', details)
  }
}

/** Whose and which thing it was about, and why it was refused; never a key, wherever one was written. */
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

/** What it spent in milliseconds, by its parts, and the bytes of its body, as far as they are known. */
function costsOf(c: Context<AppEnv>) {
  const parts = c.get('metric')?.headers.flatMap((header) => {
    const [, name, ms] = /^(\w+);dur=([\d.]+)/.exec(header) ?? []
    return name === undefined || name === 'total' ? [] : [[name, Number(ms)]]
  })
  return { spent: Object.fromEntries(parts ?? []), bytes: c.get('bodyBytes') }
}

/** Of what is no operation: the documentation, and what does not exist. */
const routeOf = (c: Context) =>
  matchedRoutes(c).findLast(({ method }) => method !== 'ALL')?.path ?? 'none'
