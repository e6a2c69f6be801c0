import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Caller } from '../access/caller.ts'
import { tooManyRequests } from '../errors.ts'

/** Sets a header of the answer. */
type SetHeader = (name: string, value: string) => void

export type LimitRate = (caller: Caller, set: SetHeader) => Promise<void>

/** A window begins with its first request. */
const windowSeconds = 60

/**
 * Limits each user, across all their keys, to this many requests a minute in this process. The
 * administrator is not counted, so that they get in when things go wrong.
 * @param perMinute 0 for no limit
 * @returns a function that throws 429 for a request too many. Either way the headers of
 *   draft-ietf-httpapi-ratelimit-headers-11 say what is left.
 */
export function createRateLimit(perMinute: number): LimitRate {
  if (perMinute === 0) return async () => {}
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds })
  return async (caller, set) => {
    if (caller.kind !== 'user') return
    const state = await limiter.consume(caller.userId).catch((refusal) => {
      if (refusal instanceof RateLimiterRes) return refusal
      throw refusal
    })
    const seconds = Math.ceil(state.msBeforeNext / 1000)
    set('RateLimit-Policy', `"requests";q=${perMinute};w=${windowSeconds}`)
    set('RateLimit', `"requests";r=${state.remainingPoints};t=${seconds}`)
    if (state.consumedPoints > perMinute) throw tooManyRequests(perMinute, seconds)
  }
}
