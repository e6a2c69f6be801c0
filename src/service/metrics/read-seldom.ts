import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Scrapers wait no longer for the database, because the other metrics matter most while it does not
 * answer.
 */
const patienceMs = 2_000

/**
 * Reads from the database at most once per interval, for all scrapers together.
 * @returns a function that returns the figures, or undefined while the database does not answer in
 * time
 */
export function readSeldom<T>(
  read: () => Promise<T>,
  everyMs: number,
): () => Promise<T | undefined> {
  // Runs outside the first scraper's request, because others wait for the figures even if that one
  // leaves.
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
