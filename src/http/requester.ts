import type { HonoRequest } from 'hono'
import type { Caller } from '../access/caller.ts'
import type { Requester } from '../concurrency/limiter.ts'

/** Identifies those who share one fair part. */
export type FairShare = Pick<Required<Requester>, 'name' | 'isKeyless'>

/**
 * Aborts when the client hangs up before its answer is complete. This is noticed only while the
 * body is read or afterwards: a connection is not watched while it holds more unread body than its
 * buffer takes.
 */
export const clientGone = ({ raw }: HonoRequest): AbortSignal => raw.signal

/**
 * Says for whom a request is worked on, based on what is verified.
 * @param owner the owner of what the path names
 */
export const requesterOf = (
  request: HonoRequest,
  owner: string,
  caller: Caller | undefined,
): Requester => withFairShare(request, fairShareOf(owner, caller))

export const withFairShare = (request: HonoRequest, share: FairShare): Requester => ({
  ...share,
  // Created on demand: most requests are done before the signal is needed.
  get signal() {
    return clientGone(request)
  },
})

/**
 * All keys of a user share one part. Callers without a key share one part for each owner of what
 * they ask for.
 */
export function fairShareOf(owner: string, caller: Caller | undefined): FairShare {
  switch (caller?.kind) {
    case 'user':
      return { name: `user ${caller.userId}`, isKeyless: false }
    case 'admin':
      return { name: 'the administrator', isKeyless: false }
    default:
      return { name: `without a key, of ${owner}`, isKeyless: true }
  }
}
