import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** The other figures are wanted most when the database does not answer. */
const patienceMs = 2_000

/**
 * Reads from the database for all scrapers together, at most once in so many milliseconds.
 * @returns what tells it, or undefined while the database does not answer in time
 */
export function readSeldom<T>(
  read: () => Promise<T>,
  everyMs: number,
): () => Promise<T | undefined> {
  // Others wait for the figures too when the scraper that asked first has left: not on its behalf.
  const unasked = new AsyncResource('figures')
  let latest: { readonly at: number; readonly figures: Promise<T | undefined> } | undefined
  return () => {
    const now = performance.now()
    if (latest === undefined || now - latest.at > everyMs) {
      const figures = unasked.runInAsyncScope(read).catch(() => undefined)
      latest = { at: now, figures }
    }
    return Promise.race([latest.figures, sleep(patienceMs, undefined, { ref: false })])
  }
}
