import type { Context, HonoRequest } from 'hono'
import type { Access, Target } from '../access/access.ts'
import { authorize, type Found } from '../access/authorize.ts'
import type { Caller } from '../access/caller.ts'
import type {
  AdminAction,
  CallerAction,
  InstanceAction,
  NamespaceAction,
  ProjectAction,
} from '../access/rules.ts'
import { noSuchInstance, noSuchProject, noSuchUser, unauthorized } from '../errors.ts'
import { keyHashOf } from './credential.ts'
import type { Errors } from './declared-answers.ts'
import type { OperationServices } from './env.ts'

/** Who may call an operation, and how to find the caller and what the path names. */
export interface Permission<Granted> {
  readonly key: 'ignored' | 'optional' | 'required'
  /** The parameters that the path of the operation must have. */
  readonly pathParams: readonly string[]
  /** How it refuses callers, for the document. An operation may describe the same statuses better. */
  readonly errors: Errors
  readonly targetOf: (request: HonoRequest) => Target
  /**
   * @param keyHash undefined without a key
   * @throws 401 if nobody has the key
   */
  readonly lookUp: (
    access: Access,
    keyHash: string | undefined,
    target: Target,
    request: HonoRequest,
  ) => Promise<LookedUp<Granted>>
}

/** The caller, identified before it is decided what they may do. */
interface LookedUp<Granted> {
  readonly caller: Caller
  /** @throws 401, 403 or 404 by the table of rules */
  readonly authorize: () => Granted
}

/** The names of the path parameters that hold the parts of a target. */
type TargetParams = { readonly [Part in keyof Target]?: string | undefined }

const targetIn = (params: TargetParams) => (request: HonoRequest) => ({
  owner: paramOf(request, params.owner),
  handle: paramOf(request, params.handle),
  grantee: params.grantee && paramOf(request, params.grantee),
})

/** Returns '' if the parameter is absent or cannot be decoded; no handle is empty. */
const paramOf = (request: HonoRequest, name: string | undefined) =>
  (name && request.param(name)) ?? ''

/** Open to everybody; a key is neither needed nor read. */
export const anyone: Permission<null> = {
  key: 'ignored',
  pathParams: [],
  errors: {},
  targetOf: targetIn({}),
  lookUp: async () => ({ caller: { kind: 'anonymous' }, authorize: () => null }),
}

const keyed = <Thing, Granted>(
  key: Permission<Granted>['key'],
  params: TargetParams,
  find: (access: Access, keyHash: string | undefined, target: Target) => Promise<Found<Thing>>,
  grant: (found: Found<Thing>, target: Target, request: HonoRequest) => Granted,
  errors: Errors,
): Permission<Granted> => ({
  key,
  errors,
  pathParams: Object.values(params).filter((name) => name !== undefined),
  targetOf: targetIn(params),
  lookUp: async (access, keyHash, target, request) => {
    const found = await find(access, keyHash, target)
    return { caller: found.caller, authorize: () => grant(found, target, request) }
  },
})

export const admin = (action: AdminAction) =>
  keyed(
    'required',
    {},
    (access, keyHash) => access.service(keyHash),
    (found) => ({ caller: authorize(action, found, unauthorized) }),
    { 403: 'The caller is not the administrator' },
  )

/**
 * @param action may depend on the request, if a parameter asks for more rights
 * @param key whether the operation also works without a key
 */
export const asCaller = (
  action: CallerAction | ((request: HonoRequest) => CallerAction),
  key: 'optional' | 'required' = typeof action === 'function' ? 'optional' : 'required',
) =>
  keyed(
    key,
    {},
    (access, keyHash) => access.service(keyHash),
    (found, _, request) => {
      const asked = typeof action === 'function' ? action(request) : action
      return { caller: authorize(asked, found, unauthorized) }
    },
    {},
  )

export const inNamespace = (action: NamespaceAction) =>
  keyed(
    'required',
    { owner: 'user' },
    (access, keyHash, target) => access.namespace(keyHash, target),
    (found, { owner }) => ({
      caller: found.caller,
      owner: authorize(action, found, () => noSuchUser(owner)),
    }),
    {
      403: "Another user's namespace",
      404: ['There is no such user', noSuchUser('alice').message],
    },
  )

export const onInstance = (action: InstanceAction, grantee?: 'grantee') =>
  keyed(
    'required',
    { owner: 'user', handle: 'instance', grantee },
    (access, keyHash, target) => access.instance(keyHash, target),
    (found, { owner, handle }) => ({
      caller: found.caller,
      instance: authorize(action, found, () => noSuchInstance(owner, handle)),
    }),
    {
      403: "Another user's instance",
      404: ['There is no such instance', noSuchInstance('alice', 'my-model').message],
    },
  )

/**
 * @param action may depend on the request, if one path serves two operations
 * @param key whether the operation also works without a key, as reading does
 */
export const onProject = (
  action: ProjectAction | ((request: HonoRequest) => ProjectAction),
  grantee?: 'grantee',
  key: 'optional' | 'required' = action === 'project:read' ? 'optional' : 'required',
) =>
  keyed(
    key,
    { owner: 'user', handle: 'project', grantee },
    (access, keyHash, target) => access.project(keyHash, target),
    (found, { owner, handle }, request) => ({
      caller: found.caller,
      relations: found.relations,
      project: authorize(typeof action === 'function' ? action(request) : action, found, () =>
        noSuchProject(owner, handle),
      ),
    }),
    {
      403: "Another user's project",
      404: ['There is no such project', noSuchProject('alice', 'verses').message],
    },
  )

const readable = onProject('project:read')

/**
 * Finds the projects that a body names by `owner/handle`, for a caller who may read all of them.
 * @throws what an operation on the first that may not be read would throw
 */
export async function readableProjects(c: Context, names: readonly string[]) {
  const { access }: OperationServices = c.get('server')
  const keyHash = keyHashOf(c.req)
  const lookUp = async (name: string) => {
    const [owner = '', handle = ''] = name.split('/')
    const found = await readable.lookUp(access, keyHash, { owner, handle }, c.req)
    return found.authorize()
  }
  const granted: Awaited<ReturnType<typeof lookUp>>[] = []
  for (const name of names) granted.push(await lookUp(name))
  return granted
}
