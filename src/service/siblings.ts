import { countOfThisProcess, type RequestCounter } from '../concurrency/request-counter.ts'
import type { HeldVectors } from '../vector-cache/vector-cache.ts'
import type { Seen } from './overview/troubles.ts'

/** What is known to one process of a server alone; all of it can be sent as JSON. */
export interface OwnFigures {
  readonly metrics: readonly object[]
  readonly memory: HeldVectors
  readonly seen: Seen
}

/** The other processes that share the port with this one. */
export interface Siblings {
  /** Of those that answer in time. */
  figures(): Promise<readonly OwnFigures[]>
  /** Says what they get when they ask for the figures of this one. */
  answerWith(own: () => Promise<OwnFigures>): void
  /** Counts requests for all of them. @param perMinute how many of a user there is leave for */
  requestCounter(perMinute: number): RequestCounter
}

/** Of a process that is alone. */
export const noSiblings: Siblings = {
  figures: async () => [],
  answerWith: () => {},
  requestCounter: countOfThisProcess,
}
