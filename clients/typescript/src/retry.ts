import { SemblanceError } from './error.ts'

const firstPauseMs = 250
const maxPauseMs = 30_000

/**
 * Errors that may pass by themselves: too many requests, a server that is busy or starting, a lost
 * connection.
 */
export const isPassing = (error: unknown): error is SemblanceError =>
  error instanceof SemblanceError && [0, 429, 502, 503, 504].includes(error.status)

/**
 * Waits as long as the server asks, or else doubles the pause each time. The pause is random, so
 * that clients do not retry in step.
 */
function pauseMs({ retryAfter }: SemblanceError, attempt: number): number {
  const asked = (retryAfter ?? 0) * 1000
  const own = firstPauseMs * 2 ** attempt * (0.5 + Math.random())
  return Math.min(Math.max(asked, own), maxPauseMs)
}

/**
 * Repeats the work after errors that may pass by themselves.
 * @param retries the maximum number of retries
 * @throws the last attempt's error; an abort immediately
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
