import type { HonoRequest } from 'hono'
import type { Access, Credential, Named } from '../access/access.ts'
import type {
  AdminAction,
  InstanceAction,
  NamespaceAction,
  ProjectAction,
} from '../access/rules.ts'
import type { Requester } from '../concurrency/limiter.ts'
import { unauthorized } from '../errors.ts'
import { hashKey } from '../secrets/keys.ts'
import { clientGone } from './client-gone.ts'

/** A request that wants to be let through. */
interface Asking {
  readonly access: Access
  readonly request: HonoRequest
  readonly onCaller: Credential['onCaller']
}

/** Who may call an operation, and how the caller and what the request names are found. */
export interface Permission<Granted> {
  readonly key: 'ignored' | 'optional' | 'required'
  readonly grant: (asking: Asking) => Promise<Granted>
}

/** Open to everybody; a key is neither needed nor looked at. */
export const anyone: Permission<null> = { key: 'ignored', grant: async () => null }

export const admin = (action: AdminAction) => ({
  key: 'required' as const,
  grant: (asking: Asking) => asking.access.admin(action, credentialOf(asking)),
})

export const inNamespace = (action: NamespaceAction) => ({
  key: 'required' as const,
  grant: (asking: Asking) =>
    asking.access.namespace(action, credentialOf(asking), namedIn(asking.request)),
})

export const onInstance = (action: InstanceAction) => ({
  key: 'required' as const,
  grant: (asking: Asking) =>
    asking.access.instance(action, credentialOf(asking), namedIn(asking.request)),
})

/** `action` may depend on the request, where one path serves two operations. */
export const onProject = (action: ProjectAction | ((request: HonoRequest) => ProjectAction)) => ({
  key: action === 'project:read' ? ('optional' as const) : ('required' as const),
  grant: (asking: Asking) => {
    const chosen = typeof action === 'function' ? action(asking.request) : action
    return asking.access.project(chosen, credentialOf(asking), namedIn(asking.request))
  },
})

/** @throws 401 for anything but one bearer key; no header at all is no credential */
function credentialOf({ request, onCaller }: Asking): Credential {
  if (request.header('authorization') === undefined) return { keyHash: undefined, onCaller }
  const key = presentedKey(request)
  if (key === undefined) throw unauthorized()
  return { keyHash: hashKey(key), onCaller }
}

const presentedKey = (request: HonoRequest) =>
  /^bearer ([^\s]+)$/i.exec(request.header('authorization') ?? '')?.[1]

/**
 * For whom a request is worked on, before it is known who that is: whoever has this key, or those
 * without one who ask for what belongs to this owner.
 */
export const requesterOf = (request: HonoRequest): Requester => ({
  tenant: presentedKey(request) ?? `without a key, of ${namedIn(request).owner}`,
  // Made when it is asked for: most of what is asked for is there sooner.
  get signal() {
    return clientGone(request)
  },
})

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
