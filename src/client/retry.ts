import { SemblanceError } from './error.ts'

const firstPauseMs = 250
const maxPauseMs = 30_000

/** What passes by itself: too many requests, a server that is busy or starts, a connection that was lost. */
export const isPassing = (error: unknown): error is SemblanceError =>
  error instanceof SemblanceError && [0, 429, 502, 503, 504].includes(error.status)

/** As the server asks, else twice as long each time, and never the same for all clients. */
function pauseMs({ retryAfter }: SemblanceError, attempt: number): number {
  const asked = (retryAfter ?? 0) * 1000
  const own = firstPauseMs * 2 ** attempt * (0.5 + Math.random())
  return Math.min(Math.max(asked, own), maxPauseMs)
}

/**
 * Does it again after what passes by itself.
 * @param retries how often at most
 * @throws what the last attempt has thrown, and an abort at once
 */
export async function withRetries<T>(
  retries: number,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= retries || !isPassing(error)) throw error
      await pause(pauseMs(error, attempt), signal)
    }
  }
}

const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }, ms)
    if (signal?.aborted === true) aborted()
    else signal?.addEventListener('abort', aborted, { once: true })
  })
