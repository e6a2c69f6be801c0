import type { HonoRequest } from 'hono'
import type { Caller } from '../access/caller.ts'
import type { Requester } from '../concurrency/limiter.ts'
import { presentedKey, tenantOf } from './credential.ts'

/**
 * Aborts when the client hangs up before its answer is complete. Noticed while a body is being read
 * or after it; a connection is not looked at while it holds more of an unread body than its buffer.
 */
export const clientGone = ({ raw }: HonoRequest): AbortSignal => raw.signal

/**
 * For whom a request is worked on.
 * @param owner to whom what the path names belongs
 * @param caller as soon as it is known: all keys of a user have one fair part
 */
export const requesterOf = (request: HonoRequest, owner: string, caller?: Caller): Requester => ({
  tenant: caller?.kind === 'user' ? `user ${caller.userId}` : tenantOf(request, owner),
  isKeyless: presentedKey(request) === undefined,
  // Made when it is asked for: most of what is asked for is there sooner.
  get signal() {
    return clientGone(request)
  },
})
