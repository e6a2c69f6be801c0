import type { Access } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import type { Requester } from '../concurrency/limiter.ts'
import type { HeldChunks } from '../json/lines.ts'
import type { Log } from '../log.ts'
import type { BodyBudget } from './body/budget.ts'
import type { BodyReader } from './body/read-body.ts'
import type { BodySource } from './body/received-chunks.ts'
import type { ClientAddress } from './client-address.ts'
import type { PresumedRequesters } from './presumed-requesters.ts'
import type { LimitRate } from './rate-limit.ts'

/**
 * What a server knows about a request's connection. It is empty if no server listens, as in tests.
 */
export interface ServerBindings {
  /** The address at the other end of the connection. */
  readonly peer?: () => string | undefined
  /** Reads the body by other means than the request's stream. */
  readonly body?: () => BodySource
}

/** What every operation uses. The app sets it for each request. */
export interface OperationServices {
  /** What all paths begin with for clients; mostly empty. */
  readonly publicPath: string
  readonly access: Access
  readonly presumedRequesters: PresumedRequesters
  readonly clientAddress: ClientAddress
  /** Runs work whose statements take turns as this requester's. */
  readonly onBehalfOf: <T>(requester: Requester, work: () => T) => T
  readonly readBody: BodyReader
  readonly bodyBudget: BodyBudget
  /** Refuses a caller who has sent too many requests. */
  readonly limitRate: LimitRate
  readonly log: Log
  /** Records when the caller's key was last used. */
  readonly noteKeyUse: (caller: Caller) => void
}

export interface AppEnv {
  Bindings: ServerBindings
  Variables: {
    server: OperationServices
    requestId: string
    /** The rest is set while the request is handled. The route is the pattern of its path. */
    route?: string
    caller?: Caller
    bodyBytes?: number
    /** The body, if it is streamed instead of read whole. */
    bodyStream?: HeldChunks
    /** Whether the answer has long pauses, so that no part of it may be held back. */
    streamsSlowly?: boolean
    /** Why the request was refused, in the words sent to the client. */
    detail?: string
    /** Further details of a refusal, only for the log. */
    logged?: Readonly<Record<string, string>>
    /** Whether the answer has the header Server-Timing. */
    showsTiming?: boolean
    /** Whether the same bytes will be sent again. */
    isLasting?: boolean
  }
}
