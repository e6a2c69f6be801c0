import type { Access } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import type { Requester } from '../concurrency/limiter.ts'
import type { HeldChunks } from '../json/lines.ts'
import type { BodyBudget } from './body/budget.ts'
import type { BodyReader } from './body/read-body.ts'
import type { BodySource } from './body/received-chunks.ts'
import type { PresumedRequesters } from './presumed-requesters.ts'

/** What a server knows of a request besides what it is; nothing where none listens, as in a test. */
export interface ServerBindings {
  /** The address of the other end. */
  readonly peer?: () => string | undefined
  /** Reads the body in another way than as the stream of the request. */
  readonly body?: () => BodySource
}

export interface AppEnv {
  Bindings: ServerBindings
  Variables: {
    /** What every operation may use; set for each request by the app. */
    access: Access
    presumedRequesters: PresumedRequesters
    /** Where the request comes from; undefined where nothing listens. */
    address: () => string | undefined
    onBehalfOf: <T>(requester: Requester, work: () => T) => T
    readBody: BodyReader
    bodyBudget: BodyBudget
    /** Refuses a caller who has sent too many requests. */
    limitRate: (caller: Caller) => Promise<void>
    /** Keeps in mind when the caller's key was last used. */
    noteUse: (caller: Caller) => void
    requestId: string
    /** What is learnt about a request on its way. The route is the pattern of its path. */
    route?: string
    caller?: Caller
    bodyBytes?: number
    /** The body where it is not read as a whole. */
    bodyStream?: HeldChunks
    /** Whether the answer comes with long pauses, so that no part of it may be held back. */
    streamsSlowly?: boolean
    /** Why it was refused, as its client is told. */
    detail?: string
    /** More of it, for the log alone. */
    logged?: Readonly<Record<string, string>>
    /** Whether the answer has the header Server-Timing. */
    showsTiming?: boolean
  }
}
