import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import type { HonoRequest, MiddlewareHandler } from 'hono'
import { endTime, startTime } from 'hono/timing'
import type { Access } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import type { Requester } from '../concurrency/limiter.ts'
import { badRequest } from '../errors.ts'
import type { BodyReader, BodySize } from './body/body.ts'
import { type Permission, requesterOf } from './permission.ts'
import { refuseInvalid } from './problem.ts'
import { problemAnswer } from './schemas.ts'

export interface AppEnv {
  Variables: {
    /** What every operation may use; set for each request by the app. */
    access: Access
    onBehalfOf: <T>(requester: Requester, work: () => T) => T
    readBody: BodyReader
    /** Refuses a caller who has sent too many requests. */
    limitRate: (caller: Caller) => Promise<void>
    requestId: string
    /** What is learnt about a request on its way; the pattern of its path, which itself may hold anything. */
    route?: string
    caller?: Caller
    bodyBytes?: number
    uploaded?: number
    searchMode?: 'exact' | 'approximate'
  }
}

/** The errors that an operation can answer by its own rules, with their reasons. */
export type Errors = { readonly [status in 403 | 404 | 409 | 422]?: string }

type OperationConfig = Omit<RouteConfig, 'middleware' | 'security'> & {
  operationId: string
  summary: string
  tags: string[]
}

const security = {
  ignored: [],
  optional: [{ bearer: [] }, {}],
  required: [{ bearer: [] }],
}

/**
 * Declares an operation: who may call it, then its route. The permission is checked first, then
 * the body is read, then everything is validated; the errors that follow from that are declared here.
 * @param bodySize which limit a body has
 */
export function operation<Granted, const Config extends OperationConfig>(
  who: Permission<Granted>,
  config: Config,
  errors: Errors = {},
  bodySize: BodySize = 'usual',
) {
  const hasBody = config.request?.body !== undefined
  const middleware: MiddlewareHandler<AppEnv & { Variables: { granted: Granted } }> = async (
    c,
    next,
  ) => {
    // Not by way of `c.var`, which copies everything that is set at each access.
    c.set('route', config.path)
    // What reads nothing from its URL has nothing to refuse.
    if (config.request !== undefined) refuseNul(c.req)
    const onCaller = (caller: Caller) => {
      c.set('caller', caller)
      return c.get('limitRate')(caller)
    }
    await c.get('onBehalfOf')(requesterOf(c.req), async () => {
      startTime(c, 'access')
      c.set('granted', await who.grant({ access: c.get('access'), request: c.req, onCaller }))
      endTime(c, 'access')
      if (!hasBody) return next()
      startTime(c, 'body')
      const body = await c.get('readBody')(c.req, c.get('caller'), bodySize)
      c.set('bodyBytes', body.bytes)
      endTime(c, 'body')
      try {
        await next()
      } finally {
        body.release()
      }
    })
  }
  // `object`: the errors are thrown, so that a handler's type knows only its own answers.
  const problems: object = {
    ...(config.request && { 400: problemAnswer('The request is not valid') }),
    ...(who.key !== 'ignored' && { 401: problemAnswer('No key, or none that is known') }),
    ...(who.key !== 'ignored' && {
      429: problemAnswer('More requests than the rate limit allows'),
    }),
    ...(hasBody && {
      408: problemAnswer('The body arrived too slowly'),
      413: problemAnswer('The body is larger than the limit'),
    }),
    ...Object.fromEntries(
      Object.entries(errors).map(([status, reason]) => [status, problemAnswer(reason)]),
    ),
    500: problemAnswer('Unexpected failure'),
    503: problemAnswer('The database, a place in a queue or room for the body is missing for now'),
  }
  return {
    ...config,
    middleware,
    security: security[who.key],
    responses: { ...problems, ...config.responses },
  }
}

export function createRouter() {
  return new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid })
}

/** A NUL cannot be stored, so a URL that holds one names nothing. @throws 400 when it does */
export function refuseNul({ url }: HonoRequest): void {
  if (url.includes('%00')) throw badRequest('The URL holds a NUL character')
}
