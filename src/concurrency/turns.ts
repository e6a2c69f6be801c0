import { setImmediate } from 'node:timers/promises'

/**
 * Creates a function that lets pieces of work that take milliseconds begin one after another, each
 * in its own round of the event loop. Otherwise many that arrive at once would keep everybody
 * waiting for all of them.
 */
export function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}
