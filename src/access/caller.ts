import type { KeyAccess, Scope } from './rules.ts'

export interface Account {
  readonly userId: number
  readonly handle: string
}

/** One of the keys that a user has beside the first one. */
export interface NamedKey {
  readonly keyId: number
  readonly handle: string
  readonly access: KeyAccess
  /** Whether it reaches some projects alone, which may be none by now. */
  readonly isLimited: boolean
  readonly expiresAt: Date | null
}

interface User extends Account {
  readonly kind: 'user'
  /** Undefined for the first key, which may do all that the user may. */
  readonly key: NamedKey | undefined
}

/** Who a request comes from. The administrator's key is no user. */
export type Caller = { readonly kind: 'anonymous' } | { readonly kind: 'admin' } | User

/** Owns the global definitions; nobody can authenticate as this user. */
export const systemHandle = '_system'

/** Whether the caller is this very user. */
export const isUser = (caller: Caller, userId: number) =>
  caller.kind === 'user' && caller.userId === userId

/** The named key by which a user calls; undefined for the first key, and for all who are no user. */
export const namedKeyOf = (caller: Caller): NamedKey | undefined =>
  caller.kind === 'user' ? caller.key : undefined

/** The id of the key that bounds what the caller reaches to its projects; undefined where none does. */
export function limitingKeyOf(caller: Caller): number | undefined {
  const key = namedKeyOf(caller)
  return key?.isLimited ? key.keyId : undefined
}

/** What the key of the caller is good for. */
export function scopeOf(caller: Caller): Scope {
  const key = namedKeyOf(caller)
  if (key === undefined) return 'everything'
  return key.isLimited ? `${key.access} in projects` : key.access
}

/** A name for logs and limits. It is never the handle of another user, since those do not begin with _. */
export function callerName(caller: Caller): string {
  switch (caller.kind) {
    case 'anonymous':
      return '_nobody'
    case 'admin':
      return '_admin'
    case 'user':
      return caller.handle
  }
}
