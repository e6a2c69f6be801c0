import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

const windowSeconds = 60

/** Counts the requests of each user. */
export interface RequestCounter {
  /** @returns the milliseconds until there is leave for one more; undefined where there was leave */
  take(userId: number): Promise<number | undefined>
}

/** @param perMinute how many there is leave for in a minute, which begins with the first one; 0 for any number */
export function countOfThisProcess(perMinute: number): RequestCounter {
  if (perMinute === 0) return { take: async () => undefined }
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds })
  return {
    take: (userId) =>
      limiter.consume(userId).then(
        () => undefined,
        (refusal) => {
          if (!(refusal instanceof RateLimiterRes)) throw refusal
          return refusal.msBeforeNext
        },
      ),
  }
}
