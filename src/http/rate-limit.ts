import type { Caller } from '../access/caller.ts'
import { countOfThisProcess } from '../concurrency/request-counter.ts'
import { tooManyRequests } from '../errors.ts'

/**
 * Holds each user, whatever their key, to so many requests a minute. The administrator is not counted, so that
 * they get in when things go wrong.
 * @param perMinute 0 for no limit
 * @returns what throws 429 for a request too many
 */
export function createRateLimit(
  perMinute: number,
  counter = countOfThisProcess(perMinute),
): (caller: Caller) => Promise<void> {
  if (perMinute === 0) return async () => {}
  return async (caller) => {
    if (caller.kind !== 'user') return
    const waitMs = await counter.take(caller.userId)
    if (waitMs !== undefined) throw tooManyRequests(perMinute, Math.ceil(waitMs / 1000))
  }
}
