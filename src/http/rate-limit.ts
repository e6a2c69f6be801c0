import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Caller } from '../access/caller.ts'
import { tooManyRequests } from '../errors.ts'

/** A window begins with its first request. */
const windowSeconds = 60

/**
 * Limits each user, across all their keys, to this many requests a minute in this process. The
 * administrator is not counted, so that they get in when things go wrong.
 * @param perMinute 0 for no limit
 * @returns a function that throws 429 for a request too many
 */
export function createRateLimit(perMinute: number): (caller: Caller) => Promise<void> {
  if (perMinute === 0) return async () => {}
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds })
  return async (caller) => {
    if (caller.kind !== 'user') return
    await limiter.consume(caller.userId).catch((refusal) => {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      throw tooManyRequests(perMinute, Math.ceil(refusal.msBeforeNext / 1000))
    })
  }
}
