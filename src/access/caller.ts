/** Who a request comes from. The administrator's key is no user. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'admin' }
  | { readonly kind: 'user'; readonly userId: number; readonly handle: string }

export interface Account {
  readonly userId: number
  readonly handle: string
}

export const systemHandle = '_system'

/** Whether the caller is this very user. */
export const isUser = (caller: Caller, userId: number) =>
  caller.kind === 'user' && caller.userId === userId
