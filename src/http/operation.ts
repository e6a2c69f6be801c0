import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import type { HonoRequest, MiddlewareHandler } from 'hono'
import type { Access, Credential, Named } from '../access/access.ts'
import type {
  AdminAction,
  InstanceAction,
  NamespaceAction,
  ProjectAction,
} from '../access/rules.ts'
import { badRequest, unauthorized } from '../errors.ts'
import { hashKey } from '../secrets/keys.ts'
import type { BodyReader } from './body.ts'
import { refuseInvalid } from './problem.ts'
import { problemAnswer } from './schemas.ts'

/** What every operation may use; set once for each request by the app. */
export interface AppEnv {
  Variables: { access: Access; readBody: BodyReader; requestId: string }
}

/** Who may call an operation, and how the caller and what the request names are found. */
interface Permission<Granted> {
  readonly key: 'ignored' | 'optional' | 'required'
  readonly grant: (access: Access, request: HonoRequest) => Promise<Granted>
}

/** Open to everybody; a key is neither needed nor looked at. */
export const anyone: Permission<null> = { key: 'ignored', grant: async () => null }

export const admin = (action: AdminAction) => ({
  key: 'required' as const,
  grant: (access: Access, request: HonoRequest) => access.admin(action, credentialOf(request)),
})

export const inNamespace = (action: NamespaceAction) => ({
  key: 'required' as const,
  grant: (access: Access, request: HonoRequest) =>
    access.namespace(action, credentialOf(request), namedIn(request)),
})

export const onInstance = (action: InstanceAction) => ({
  key: 'required' as const,
  grant: (access: Access, request: HonoRequest) =>
    access.instance(action, credentialOf(request), namedIn(request)),
})

/** `action` may depend on the request, where one path serves two operations. */
export const onProject = (action: ProjectAction | ((request: HonoRequest) => ProjectAction)) => ({
  key: action === 'project:read' ? ('optional' as const) : ('required' as const),
  grant: (access: Access, request: HonoRequest) => {
    const chosen = typeof action === 'function' ? action(request) : action
    return access.project(chosen, credentialOf(request), namedIn(request))
  },
})

/** @throws 401 for anything but one bearer key; no header at all is no credential */
function credentialOf(request: HonoRequest): Credential {
  const header = request.header('authorization')
  if (header === undefined) return undefined
  const key = /^bearer ([^\s]+)$/i.exec(header)?.[1]
  if (key === undefined) throw unauthorized()
  return { keyHash: hashKey(key) }
}

/** The owner and handle that a path names; a segment that can be no handle names nothing. */
function namedIn(request: HonoRequest): Named {
  const path: Record<string, string> = request.param()
  const handle =
    path['projectname'] ?? path['project'] ?? path['instance_handle'] ?? path['instance']
  return {
    owner: path['username'] ?? path['owner'] ?? '',
    handle: handle ?? '',
    subject: path['user_handle'],
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
 */
export function operation<Granted, const Config extends OperationConfig>(
  who: Permission<Granted>,
  config: Config,
  errors: Errors = {},
) {
  const hasBody = config.request?.body !== undefined
  const middleware: MiddlewareHandler<AppEnv & { Variables: { granted: Granted } }> = async (
    c,
    next,
  ) => {
    // What reads nothing from its URL has nothing to refuse.
    if (config.request !== undefined) refuseNul(c.req)
    c.set('granted', await who.grant(c.var.access, c.req))
    if (hasBody) await c.var.readBody(c.req)
    await next()
  }
  // `object`: the errors are thrown, so that a handler's type knows only its own answers.
  const problems: object = {
    ...(config.request && { 400: problemAnswer('The request is not valid') }),
    ...(who.key !== 'ignored' && { 401: problemAnswer('No key, or none that is known') }),
    ...(hasBody && { 413: problemAnswer('The body is larger than the limit') }),
    ...Object.fromEntries(
      Object.entries(errors).map(([status, reason]) => [status, problemAnswer(reason)]),
    ),
    500: problemAnswer('Unexpected failure'),
    503: problemAnswer('The database or a place in its queue is temporarily unavailable'),
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
