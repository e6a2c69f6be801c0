/** Who a request comes from. The administrator's key is no user. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'admin' }
  | { readonly kind: 'user'; readonly userId: number; readonly handle: string }

export interface Account {
  readonly userId: number
  readonly handle: string
}

/** Owns the global definitions; nobody can authenticate as this user. */
export const systemHandle = '_system'

/** Whether the caller is this very user. */
export const isUser = (caller: Caller, userId: number) =>
  caller.kind === 'user' && caller.userId === userId

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
