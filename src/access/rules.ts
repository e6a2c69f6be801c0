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
  /** anybody with a valid key, where the thing is everybody's (`_system`) or about the caller */
  | 'authenticated'
  /** anybody at all, where the project says public_read, and for the list of such projects */
  | 'public'

const rules = {
  'users:list': ['admin'],
  'users:write': ['admin'],
  'user:read': ['admin', 'owner'],
  'user:change': ['admin', 'owner'],
  'standards:write': ['admin'],
  'service:watch': ['admin'],
  'service:back-up': ['admin'],
  'caller:read': ['authenticated'],
  'caller:list-own': ['authenticated'],
  'caller:list-visible': ['public'],
  'definitions:read': ['admin', 'owner', 'authenticated'],
  'definitions:write': ['admin', 'owner'],
  'instances:list': ['admin', 'owner', 'authenticated'],
  'instances:write': ['admin', 'owner'],
  'instance:read': ['admin', 'owner', 'editor', 'reader'],
  'instance:manage': ['admin', 'owner'],
  'instance:unshare': ['admin', 'owner', 'grantee'],
  'projects:list': ['admin', 'owner', 'namespaceMember'],
  'projects:write': ['admin', 'owner'],
  'project:read': ['admin', 'owner', 'editor', 'reader', 'public'],
  'project:write': ['admin', 'owner', 'editor'],
  'project:manage': ['admin', 'owner'],
  'project:unshare': ['admin', 'owner', 'grantee'],
} as const satisfies Record<string, readonly Relation[]>

export type Action = keyof typeof rules
export type NamespaceAction = Extract<
  Action,
  `${'users' | 'definitions' | 'instances' | 'projects'}:${string}` | `user:${string}`
>
export type InstanceAction = Extract<Action, `instance:${string}`>
/** What is about nothing but the caller. */
export type CallerAction = Extract<Action, `caller:${string}`>
export type ProjectAction = Extract<Action, `project:${string}`>
export type AdminAction = Extract<
  Action,
  'users:list' | 'users:write' | 'standards:write' | `service:${string}`
>

const eitherOf = new Intl.ListFormat('en-GB', { type: 'disjunction' })
const roles = ['owner', 'editor', 'reader'] as const

/** What a caller is to a thing, and would have to be, in words. */
export function roleFor(action: Action, relations: ReadonlySet<Relation>) {
  const allowed: readonly Relation[] = rules[action]
  const needed = roles.filter((role) => allowed.includes(role))
  return {
    role: roles.find((role) => relations.has(role)) ?? 'none',
    needs: needed.length === 0 ? 'administrator' : eitherOf.format(needed.toReversed()),
  }
}

/** Of those who may read a project: who may have texts embedded with the key of its instance. */
export const mayAskInWords = (
  audience: (typeof textQueryAudiences)[number],
  relations: ReadonlySet<Relation>,
) =>
  audience === 'everybody' ||
  (audience === 'members' &&
    (['admin', 'owner', 'editor', 'reader'] as const).some((relation) => relations.has(relation)))

export interface Standing {
  /** Whether the request carries a valid key. */
  readonly authenticated: boolean
  readonly relations: ReadonlySet<Relation>
  /** Whether the thing that the request names exists. */
  readonly exists: boolean
}

export type Verdict = 'allowed' | 'unauthorized' | 'forbidden' | 'not-found'

/**
 * Without a key: 401 for all that is not public, whether it exists or not. With one: 403 for a
 * stranger, whether it exists or not; those who belong there learn that it does not exist.
 */
export function decide(action: Action, { authenticated, relations, exists }: Standing): Verdict {
  const allowed: readonly Relation[] = rules[action]
  if (allowed.some((relation) => relations.has(relation))) return exists ? 'allowed' : 'not-found'
  if (!authenticated) return 'unauthorized'
  return !exists && relations.has('namespaceMember') ? 'not-found' : 'forbidden'
}
