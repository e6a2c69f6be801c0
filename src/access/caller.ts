import type { KeyAccess, Scope } from './rules.ts'

export interface Account {
  readonly userId: number
  readonly handle: string
}

/** A key that a user has in addition to the first one. */
export interface NamedKey {
  readonly keyId: number
  readonly handle: string
  readonly access: KeyAccess
  /** Whether it reaches only some projects, perhaps none by now. */
  readonly isLimited: boolean
  readonly expiresAt: Date | null
}

interface User extends Account {
  readonly kind: 'user'
  /** Undefined for the first key, which may do everything that the user may. */
  readonly key: NamedKey | undefined
}

/** Who a request comes from. The administrator is not a user. */
export type Caller = { readonly kind: 'anonymous' } | { readonly kind: 'admin' } | User

/** Owns the global definitions; nobody can authenticate as this user. */
export const systemHandle = '_system'

export const isUser = (caller: Caller, userId: number) =>
  caller.kind === 'user' && caller.userId === userId

/** The named key that a user calls with; undefined for the first key and for other callers. */
export const namedKeyOf = (caller: Caller): NamedKey | undefined =>
  caller.kind === 'user' ? caller.key : undefined

/** The id of the caller's key if it is limited to some projects; otherwise undefined. */
export function limitingKeyOf(caller: Caller): number | undefined {
  const key = namedKeyOf(caller)
  return key?.isLimited ? key.keyId : undefined
}

/** What the caller's key may be used for. */
export function scopeOf(caller: Caller): Scope {
  const key = namedKeyOf(caller)
  if (key === undefined) return 'everything'
  return key.isLimited ? `${key.access} in projects` : key.access
}

/** A unique name for logs and limits: no caller's handle begins with _. */
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
