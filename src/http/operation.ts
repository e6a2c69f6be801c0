import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import type { Context, HonoRequest, MiddlewareHandler, Next } from 'hono'
import { endTime, startTime } from 'hono/timing'
import type { Target } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import type { Requester } from '../concurrency/limiter.ts'
import { unknownName } from '../did-you-mean.ts'
import { badRequest, nulInUrl } from '../errors.ts'
import { type BodyFormat, jsonBody } from './body/format.ts'
import { bodyStream, giveToValidators } from './body/read-body.ts'
import { keyHashOf } from './credential.ts'
import { declareAnswers, type Errors } from './declared-answers.ts'
import type { AppEnv } from './env.ts'
import type { Permission } from './permission.ts'
import { refuseInvalid } from './problem.ts'
import { requesterOf } from './requester.ts'

interface OfCaller<Granted> {
  /** The caller, and what the path names, as the permission found them. */
  granted: Granted
  /**
   * Looks up the rights again, for work that takes long.
   * @throws 401, 403 or 404 if they are gone
   */
  grantAgain: () => Promise<Granted>
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

type OperationConfig = Pick<RouteConfig, 'description' | 'request' | 'responses'> & {
  operationId: string
  summary: string
  /** The errors of the operation's own rules, for the document. */
  errors?: Errors
  /** How the body is read; by default as JSON. */
  format?: BodyFormat
}

const security = {
  ignored: [],
  optional: [{ bearer: [] }, {}],
  required: [{ bearer: [] }],
}

/** What an operation's summary says about calls without a key. */
const openness = (path: string) => ({
  ignored: ' (public)',
  optional: path.includes('{project}') ? ' (public if the project is)' : ' (key optional)',
  required: '',
})

/**
 * After this time the rights are looked up again. A body that comes with its headers takes less,
 * and people take much longer to change rights.
 */
export const longWaitMs = 20

/**
 * Declares operations of a method: who may call one, its path, and the rest of its route. For each
 * request it looks up caller and target, checks the rate limit and the permission, refuses unknown
 * query parameters, reads the body, and validates everything, in this order.
 * @throws Error if the path lacks a parameter that the permission reads
 */
const declare =
  <const Verb extends Method>(method: Verb) =>
  <Granted, const Path extends string, const Config extends OperationConfig>(
    permission: Permission<Granted>,
    path: Path,
    config: Config,
  ) => {
    const { errors, format = jsonBody, ...route } = config
    for (const name of permission.pathParams) {
      if (!path.includes(`{${name}}`)) throw new Error(`${path} has no {${name}}`)
    }
    return {
      ...route,
      method,
      path,
      summary: config.summary + openness(path)[permission.key],
      middleware: middlewareOf(permission, path, config.request, format),
      security: security[permission.key],
      responses: declareAnswers(config.responses, { ...permission.errors, ...errors }),
    }
  }

export const get = declare('get')
export const post = declare('post')
export const put = declare('put')
export const patch = declare('patch')
export const remove = declare('delete')

type Handled<Granted> = AppEnv & { Variables: OfCaller<Granted> }

function middlewareOf<Granted>(
  permission: Permission<Granted>,
  path: string,
  request: RouteConfig['request'],
  format: BodyFormat,
): MiddlewareHandler<Handled<Granted>> {
  const refuseUnknownParameters = unknownParameters(request?.query)
  return async (c, next) => {
    // `c.var` would copy all variables at each access.
    c.set('route', path)
    // An operation without input reads nothing from its URL, so it has nothing to refuse.
    if (request !== undefined) refuseNul(c.req)
    const target = permission.targetOf(c.req)
    const caller = await admit(c, permission, target)
    const requester = requesterOf(c.req, target.owner, caller)
    await c.get('server').onBehalfOf(requester, async () => {
      refuseUnknownParameters(c.req)
      if (request?.body === undefined) return next()
      if (format.isStreamed?.(c.req.header('content-type'))) {
        return withStreamedBody(c, caller, format, next)
      }
      return withBody(c, caller, format, requester, next)
    })
  }
}

/**
 * Finds the caller and what the path names, and keeps both for the handler.
 * @throws 401, 403 or 404 by the permission, 429 above the rate limit
 */
async function admit<Granted>(
  c: Context<Handled<Granted>>,
  permission: Permission<Granted>,
  target: Target,
): Promise<Caller> {
  const server = c.get('server')
  const { presumedRequesters } = server
  startTime(c, 'access')
  const keyHash = permission.key === 'ignored' ? undefined : keyHashOf(c.req)
  const lookUp = () => permission.lookUp(server.access, keyHash, target, c.req)
  const presumed = presumedRequesters.of(c.req, keyHash, target.owner, () =>
    server.clientAddress(c),
  )
  return server.onBehalfOf(presumed, async () => {
    const { caller, authorize } = await presumedRequesters.learn(keyHash, lookUp)
    c.set('caller', caller)
    server.noteKeyUse(caller)
    await server.limitRate(caller, c.header)
    c.set('granted', authorize())
    c.set('grantAgain', async () => (await lookUp()).authorize())
    if (caller.kind === 'anonymous') presumedRequesters.learnPublic(target.owner)
    endTime(c, 'access')
    return caller
  })
}

/** Reads the whole body into memory before the handler runs. */
async function withBody<Granted>(
  c: Context<Handled<Granted>>,
  caller: Caller,
  format: BodyFormat,
  requester: Requester,
  next: Next,
): Promise<void> {
  startTime(c, 'body')
  const began = performance.now()
  const body = await c.get('server').readBody(c.req, caller, format, requester, c.env?.body)
  c.set('bodyBytes', body.bytes)
  endTime(c, 'body')
  try {
    // The rights may have been taken away while the body arrived.
    if (performance.now() - began > longWaitMs) c.set('granted', await c.get('grantAgain')())
    await next()
  } finally {
    body.release()
  }
}

/** Lets the handler read the body as it arrives, and validate its items itself. */
function withStreamedBody<Granted>(
  c: Context<Handled<Granted>>,
  caller: Caller,
  format: BodyFormat,
  next: Next,
): Promise<void> {
  const room = c.get('server').bodyBudget.open(caller)
  c.set('bodyStream', bodyStream(c.req, room, c.env?.body))
  if (format.list !== undefined) giveToValidators(c.req, { [format.list]: [] })
  return next()
}

/** @param getPath another way to the path of a request */
export function createRouter(getPath?: (request: Request) => string) {
  return new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid, ...(getPath && { getPath }) })
}

/**
 * A NUL cannot be stored, so a URL that contains one names nothing.
 * @throws 400 if the URL contains one
 */
export function refuseNul({ url }: HonoRequest): void {
  if (url.includes('%00')) throw nulInUrl()
}

const noName = 'A query parameter has no name'

/**
 * Creates a function that refuses query parameters unknown to the operation; otherwise a misspelt
 * one would be silently ignored.
 * @throws Error if the schema does not list its parameters
 */
function unknownParameters(query: NonNullable<RouteConfig['request']>['query']) {
  if (query !== undefined && !(query instanceof z.ZodObject)) throw new Error('no object schema')
  const known = Object.keys(query?.shape ?? {})
  /** @throws 400 that names the first unknown one */
  return ({ url }: HonoRequest): void => {
    if (!url.includes('?')) return
    const { search, searchParams } = new URL(url)
    for (const name of searchParams.keys()) {
      if (name === '') throw badRequest(noName)
      if (!known.includes(name)) throw badRequest(unknownName('query parameter', name, known))
    }
    // '?&' has no parameter, but the client meant to send one.
    if (search !== '' && searchParams.size === 0) throw badRequest(noName)
  }
}
