import type { HonoRequest } from 'hono'
import type { Caller } from '../access/caller.ts'
import type { Requester } from '../concurrency/limiter.ts'

/** Who shares one fair part. */
export type FairShare = Pick<Required<Requester>, 'tenant' | 'isKeyless'>

/**
 * Aborts when the client hangs up before its answer is complete. Noticed while a body is being read
 * or after it; a connection is not looked at while it holds more of an unread body than its buffer.
 */
export const clientGone = ({ raw }: HonoRequest): AbortSignal => raw.signal

/**
 * For whom a request is worked on, by what is verified.
 * @param owner to whom what the path names belongs
 */
export const requesterOf = (
  request: HonoRequest,
  owner: string,
  caller: Caller | undefined,
): Requester => withFairShare(request, fairShareOf(owner, caller))

export const withFairShare = (request: HonoRequest, share: FairShare): Requester => ({
  ...share,
  // Made when it is asked for: most of what is asked for is there sooner.
  get signal() {
    return clientGone(request)
  },
})

/** All keys of a user have one part, and all who have none and ask for what one user owns. */
export function fairShareOf(owner: string, caller: Caller | undefined): FairShare {
  switch (caller?.kind) {
    case 'user':
      return { tenant: `user ${caller.userId}`, isKeyless: false }
    case 'admin':
      return { tenant: 'the administrator', isKeyless: false }
    default:
      return { tenant: `without a key, of ${owner}`, isKeyless: true }
  }
}
