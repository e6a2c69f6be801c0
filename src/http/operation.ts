import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import type { Context, HonoRequest, MiddlewareHandler, Next } from 'hono'
import { endTime, startTime } from 'hono/timing'
import type { Caller } from '../access/caller.ts'
import type { Requester } from '../concurrency/limiter.ts'
import { nulInUrl } from '../errors.ts'
import { bodyStream } from './body/body-stream.ts'
import { type BodyFormat, jsonBody, streamedBody } from './body/format.ts'
import { bodyLimits, giveToValidators } from './body/read-body.ts'
import { keyHashOf } from './credential.ts'
import { declareAnswers, type Errors } from './declared-answers.ts'
import type { AppEnv } from './env.ts'
import type { Permission } from './permission.ts'
import { refuseInvalid } from './problem.ts'
import { requesterOf } from './requester.ts'
import { unknownParameters } from './unknown-parameters.ts'

interface OfCaller<Granted> {
  granted: Granted
  /** For work that takes long: what is granted by now. @throws 401, 403 or 404 when nothing is any more */
  grantAgain: () => Promise<Granted>
}

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

/** What the summary of an operation says of who needs no key. */
const openness = (path: string) => ({
  ignored: ' (public)',
  optional: path.includes('{project}') ? ' (public if the project is)' : ' (key optional)',
  required: '',
})

/**
 * After which what is granted is looked up anew: longer than a body takes that comes with its headers, short beside
 * the time in which people change rights.
 */
export const longWaitMs = 20

/** Those of a server whose limit is not configured. */
const documentedLimits = bodyLimits(64 * 1024 * 1024)

/**
 * Declares an operation: who may call it, then its route. On each request caller and target are looked
 * up, the rate limit and the permission are checked, unknown query parameters are refused, the body is
 * read, and everything is validated, in this order; the errors that follow from that are declared here.
 * @param format how its body is read
 * @throws Error when the path lacks a parameter that the permission reads
 */
export function operation<Granted, const Config extends OperationConfig>(
  permission: Permission<Granted>,
  config: Config,
  errors: Errors = {},
  format: BodyFormat = jsonBody,
) {
  for (const name of permission.pathParams) {
    if (!config.path.includes(`{${name}}`)) throw new Error(`${config.path} has no {${name}}`)
  }
  const hasBody = config.request?.body !== undefined
  return {
    ...config,
    summary: config.summary + openness(config.path)[permission.key],
    middleware: middlewareOf(permission, config, format),
    security: security[permission.key],
    responses: declareAnswers(config.responses, errors, {
      takesInput: config.request !== undefined,
      takesKey: permission.key !== 'ignored',
      takesBody: hasBody,
      bodyLimit: hasBody && format !== streamedBody ? documentedLimits[format.size] : undefined,
      instead: format.instead,
    }),
  }
}

type Handled<Granted> = AppEnv & { Variables: OfCaller<Granted> }

function middlewareOf<Granted>(
  permission: Permission<Granted>,
  { path, request }: OperationConfig,
  format: BodyFormat,
): MiddlewareHandler<Handled<Granted>> {
  const refuseUnknownParameters = unknownParameters(request?.query)
  return async (c, next) => {
    // Not by way of `c.var`, which copies everything that is set at each access.
    c.set('route', path)
    // What reads nothing from its URL has nothing to refuse.
    if (request !== undefined) refuseNul(c.req)
    const target = permission.targetOf(c.req)
    startTime(c, 'access')
    const keyHash = permission.key === 'ignored' ? undefined : keyHashOf(c.req)
    const presumed = c.get('presumedRequesters')
    const byClaim = presumed.of(c.req, keyHash, target.owner, c.get('address'))
    const caller = await c.get('onBehalfOf')(byClaim, async () => {
      const { caller, authorize } = await presumed.learn(keyHash, () =>
        permission.lookUp(c.get('access'), keyHash, target, c.req),
      )
      c.set('caller', caller)
      c.get('noteUse')(caller)
      await c.get('limitRate')(caller)
      c.set('granted', authorize())
      if (caller.kind === 'anonymous') presumed.learnPublic(target.owner)
      const grantAgain = async () => {
        const found = await permission.lookUp(c.get('access'), keyHash, target, c.req)
        return found.authorize()
      }
      c.set('grantAgain', grantAgain)
      endTime(c, 'access')
      return caller
    })
    const requester = requesterOf(c.req, target.owner, caller)
    await c.get('onBehalfOf')(requester, async () => {
      refuseUnknownParameters(c.req)
      if (request?.body === undefined) return next()
      if (!format.isStreamed?.(c.req.header('content-type'))) {
        return withBody(c, caller, format, requester, next)
      }
      c.set('bodyStream', bodyStream(c.req, c.get('bodyBudget').open(caller), c.env?.body))
      // Its items are validated as they come.
      if (format.list !== undefined) giveToValidators(c.req, { [format.list]: [] })
      return next()
    })
  }
}

/** With the body in memory, as a whole. */
async function withBody<Granted>(
  c: Context<Handled<Granted>>,
  caller: Caller,
  format: BodyFormat,
  requester: Requester,
  next: Next,
): Promise<void> {
  startTime(c, 'body')
  const began = performance.now()
  const body = await c.get('readBody')(c.req, caller, format, requester, c.env?.body)
  c.set('bodyBytes', body.bytes)
  endTime(c, 'body')
  try {
    // What was granted to the headers may have been taken away while the body came.
    if (performance.now() - began > longWaitMs) c.set('granted', await c.get('grantAgain')())
    await next()
  } finally {
    body.release()
  }
}

export function createRouter() {
  return new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid })
}

/** A NUL cannot be stored, so a URL that holds one names nothing. @throws 400 when it does */
export function refuseNul({ url }: HonoRequest): void {
  if (url.includes('%00')) throw nulInUrl()
}
