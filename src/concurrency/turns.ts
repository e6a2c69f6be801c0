import { setImmediate } from 'node:timers/promises'

/**
 * Makes what lets pieces of work that take milliseconds begin one after another, each in a round of the event
 * loop of its own: many that come at once would else keep everybody waiting for all of them.
 */
export function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}
