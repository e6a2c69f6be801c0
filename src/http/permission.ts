import type { HonoRequest } from 'hono'
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

/** Who may call an operation, and how the caller and what the path names are found. */
export interface Permission<Granted> {
  readonly key: 'ignored' | 'optional' | 'required'
  /** The parameters that the path of the operation must have. */
  readonly pathParams: readonly string[]
  readonly targetOf: (request: HonoRequest) => Target
  /** @param keyHash undefined without a key @throws 401 for a key that nobody has */
  readonly lookUp: (
    access: Access,
    keyHash: string | undefined,
    target: Target,
    request: HonoRequest,
  ) => Promise<LookedUp<Granted>>
}

/** Who calls, known before it is decided what they may do. */
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

/** Without the parameter, or where it cannot be decoded, '': no handle is empty. */
const paramOf = (request: HonoRequest, name: string | undefined) =>
  (name && request.param(name)) ?? ''

/** Open to everybody; a key is neither needed nor looked at. */
export const anyone: Permission<null> = {
  key: 'ignored',
  pathParams: [],
  targetOf: targetIn({}),
  lookUp: async () => ({ caller: { kind: 'anonymous' }, authorize: () => null }),
}

const keyed = <Thing, Granted>(
  key: Permission<Granted>['key'],
  params: TargetParams,
  find: (access: Access, keyHash: string | undefined, target: Target) => Promise<Found<Thing>>,
  grant: (found: Found<Thing>, target: Target, request: HonoRequest) => Granted,
): Permission<Granted> => ({
  key,
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
  )

/** @param action may depend on the request, where a parameter asks for more */
export const asCaller = (action: CallerAction | ((request: HonoRequest) => CallerAction)) =>
  keyed(
    typeof action === 'function' ? 'optional' : 'required',
    {},
    (access, keyHash) => access.service(keyHash),
    (found, _, request) => {
      const asked = typeof action === 'function' ? action(request) : action
      return { caller: authorize(asked, found, unauthorized) }
    },
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
  )

/**
 * To read what `read` begins to read of a project before it is known who asks, so that both go to the
 * database in one write. It is to be shown only when that has allowed it, and may be of another project
 * that was put in place of this one meanwhile. A refusal does not wait for it, so that no time tells what
 * there is.
 */
export function onProjectWith<Ahead>(
  read: (target: Target, request: HonoRequest, keyHash: string | undefined) => Promise<Ahead>,
) {
  const permission = onProject('project:read')
  return {
    ...permission,
    lookUp: async (
      access: Access,
      keyHash: string | undefined,
      target: Target,
      request: HonoRequest,
    ) => {
      const [lookedUp, ahead] = access.together(() => [
        permission.lookUp(access, keyHash, target, request),
        read(target, request, keyHash),
      ])
      // Where the caller is refused nobody waits for it.
      ahead.catch(() => {})
      const { caller, authorize } = await lookedUp
      return { caller, authorize: () => ({ ...authorize(), ahead }) }
    },
  }
}

/**
 * @param action may depend on the request, where one path serves two operations
 * @param key whether the operation looks for a key that need not be there, as it does for reading
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
  )
