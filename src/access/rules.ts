import type { textQueryAudiences } from '../db/text-query-columns.ts'

/**
 * Who may do what: the one table of permissions, and the pure function that reads it.
 * A caller stands in one or more relations to the thing that a request names.
 */
export type Relation =
  | 'admin'
  /** the thing lies in the caller's own namespace */
  | 'owner'
  | 'editor'
  | 'reader'
  /** has a share of something in the owner's namespace, though not necessarily of this thing */
  | 'namespaceMember'
  /** the share that the request names is the caller's own */
  | 'grantee'
  /** anybody with a valid key, if the thing is everybody's (`_system`) or about the caller */
  | 'authenticated'
  /** anybody at all, if the project says public_read, and for the list of such projects */
  | 'public'

/** The kinds of access that a named key can have. */
export const keyAccesses = ['read', 'write'] as const
export type KeyAccess = (typeof keyAccesses)[number]

/** The access of a named key, to all projects or only to some. */
type KeyScope = KeyAccess | `${KeyAccess} in projects`

/**
 * `everything` is the scope of a user's first key, of the administrator's key and of no key at all.
 */
export type Scope = 'everything' | KeyScope

interface Rule {
  readonly who: readonly Relation[]
  /** The named keys that may be used for it. If absent, only the first key may. */
  readonly keys?: readonly KeyScope[]
}

const anyKey = ['read', 'write', 'read in projects', 'write in projects'] as const
const keysForAllProjects = ['read', 'write'] as const
const keysThatWrite = ['write', 'write in projects'] as const
const keysThatManage = ['write'] as const

/*
 * A user's first key may do everything that its user may; the user's other keys have names and
 * limits. No named key may touch the account: whoever finds one must not get a better or a lasting
 * key. A key that is limited to projects works with what is in them, never with the projects
 * themselves.
 */
const rules = {
  'users:list': { who: ['admin'] },
  'users:write': { who: ['admin'] },
  'user:read': { who: ['admin', 'owner'] },
  'user:change': { who: ['admin', 'owner'] },
  'keys:manage': { who: ['admin', 'owner'] },
  'standards:write': { who: ['admin'] },
  'service:watch': { who: ['admin'] },
  'service:back-up': { who: ['admin'] },
  'caller:read': { who: ['authenticated'], keys: anyKey },
  'caller:list-own': { who: ['authenticated'], keys: anyKey },
  'caller:list-visible': { who: ['public'], keys: anyKey },
  // Each project that is searched has to be readable too.
  'caller:search': { who: ['public'], keys: anyKey },
  'definitions:read': { who: ['admin', 'owner', 'authenticated'], keys: keysForAllProjects },
  // The definition decides where an instance made from it sends the provider's key.
  'definitions:write': { who: ['admin', 'owner'] },
  'instances:list': { who: ['admin', 'owner', 'authenticated'], keys: keysForAllProjects },
  // The provider's key is sent to the endpoint of its instance.
  'instances:write': { who: ['admin', 'owner'] },
  'instance:read': { who: ['admin', 'owner', 'editor', 'reader'], keys: keysForAllProjects },
  'instance:manage': { who: ['admin', 'owner'] },
  'instance:unshare': { who: ['admin', 'owner', 'grantee'] },
  'projects:list': { who: ['admin', 'owner', 'namespaceMember'], keys: anyKey },
  'projects:write': { who: ['admin', 'owner'], keys: keysThatManage },
  'project:read': { who: ['admin', 'owner', 'editor', 'reader', 'public'], keys: anyKey },
  'project:write': { who: ['admin', 'owner', 'editor'], keys: keysThatWrite },
  'project:manage': { who: ['admin', 'owner'], keys: keysThatManage },
  'project:unshare': { who: ['admin', 'owner', 'grantee'], keys: keysThatManage },
} as const satisfies Record<string, Rule>

export type Action = keyof typeof rules
export type NamespaceAction = Extract<
  Action,
  `${'users' | 'keys' | 'definitions' | 'instances' | 'projects'}:${string}` | `user:${string}`
>
export type InstanceAction = Extract<Action, `instance:${string}`>
/** Actions that are only about the caller. */
export type CallerAction = Extract<Action, `caller:${string}`>
export type ProjectAction = Extract<Action, `project:${string}`>
export type AdminAction = Extract<
  Action,
  'users:list' | 'users:write' | 'standards:write' | `service:${string}`
>

const eitherOf = new Intl.ListFormat('en-GB', { type: 'disjunction' })
const roles = ['owner', 'editor', 'reader'] as const

/** The caller's role for a thing, and the role that the action needs, in words. */
export function roleFor(action: Action, relations: ReadonlySet<Relation>) {
  const allowed: readonly Relation[] = rules[action].who
  const needed = roles.filter((role) => allowed.includes(role))
  return {
    role: roles.find((role) => relations.has(role)) ?? 'none',
    needs: needed.length === 0 ? 'administrator' : eitherOf.format(needed.toReversed()),
  }
}

/** Whether a key of this scope may be used for the action, by those whom the table allows it. */
function fits(action: Action, scope: Scope): boolean {
  const { keys = [] }: Rule = rules[action]
  return scope === 'everything' || keys.includes(scope)
}

/**
 * What a key lacks for an action, whoever has it and whatever it is about. It is undefined if the
 * key lacks nothing, or if no key of a user would suffice.
 */
export function lackOf(action: Action, scope: Scope): string | undefined {
  const { who, keys = [] }: Rule = rules[action]
  if (fits(action, scope) || who.every((relation) => relation === 'admin')) return undefined
  if (keys.length === 0) return "it needs the user's first key"
  const access = scope.startsWith('read') && fits(action, 'write') && !fits(action, 'read')
  const reach = scope.endsWith('in projects') && !fits(action, 'write in projects')
  const needs = [access && 'may write', reach && 'is not limited to projects']
  return `it needs a key that ${needs.filter((need) => need !== false).join(' and ')}`
}

/** Whether a reader of a project may have texts embedded with the key of its instance. */
export const mayAskInWords = (
  audience: (typeof textQueryAudiences)[number],
  relations: ReadonlySet<Relation>,
) =>
  audience === 'everybody' ||
  (audience === 'members' &&
    (['admin', 'owner', 'editor', 'reader'] as const).some((relation) => relations.has(relation)))

/** What is known of a caller and of the thing that the request names. */
interface AccessCase {
  readonly scope: Scope
  /** Whether the request carries a valid key. */
  readonly authenticated: boolean
  readonly relations: ReadonlySet<Relation>
  /** Whether the thing that the request names exists. */
  readonly exists: boolean
}

type Verdict = 'allowed' | 'unauthorized' | 'forbidden' | 'not-found'

/**
 * Without a key, everything that is not public gets 401, whether it exists or not. With a key, a
 * stranger gets 403, whether it exists or not, and a member of the namespace gets 404 for what does
 * not exist. A key that does not fit the action gets 403 for everything.
 */
export function decide(action: Action, asked: AccessCase): Verdict {
  const { scope, authenticated, relations, exists } = asked
  if (!fits(action, scope)) return 'forbidden'
  const allowed: readonly Relation[] = rules[action].who
  if (allowed.some((relation) => relations.has(relation))) return exists ? 'allowed' : 'not-found'
  if (!authenticated) return 'unauthorized'
  return !exists && relations.has('namespaceMember') ? 'not-found' : 'forbidden'
}
