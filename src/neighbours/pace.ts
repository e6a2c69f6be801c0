import { unavailable } from '../errors.ts'
import type { Step } from './steps.ts'

/** How long a reader may take nothing, at the start or after any step … */
const graceSeconds = 30
/** … and of what it takes, at least so many characters a second: half a megabit. */
const leastPace = 64 * 1024
/** Each second counts as so many while others wait: their patience is shorter than the grace. */
const whileOthersWait = 4
/** Seconds of waiting for a reader, at any pace, that others can be kept waiting for its place. */
const mostContested = 60

/**
 * Passes the steps on as they are read, and gives them up when that is too slow: behind them are memory, a
 * thread and a place that others wait for. Only the time counts in which the reader could take something.
 * @param giveUp is called at once, and not when the next step is asked for
 * @param tick of the clock, in milliseconds
 * @throws 503 to a reader that comes back after that
 */
export async function* whileRead(
  steps: AsyncGenerator<Step>,
  giveUp: () => void,
  areOthersWaiting: () => boolean,
  tick = 1_000,
): AsyncGenerator<Step> {
  let [left, contested] = [graceSeconds, 0]
  let isGivenUp = false
  const count = () => {
    const areWaiting = areOthersWaiting()
    left -= areWaiting ? whileOthersWait : 1
    contested += areWaiting ? 1 : 0
    if (isGivenUp || (left > 0 && contested < mostContested)) return
    isGivenUp = true
    giveUp()
  }
  for await (const step of steps) {
    const timer = setInterval(count, tick)
    timer.unref()
    try {
      yield step
    } finally {
      clearInterval(timer)
    }
    if (isGivenUp) throw tooSlow()
    left = Math.min(graceSeconds, left + lengthOf(step) / leastPace)
  }
}

/** As JSON, roughly. */
const lengthOf = (step: Step): number =>
  'rows' in step
    ? step.rows.reduce(
        (sum, { id, neighbours }) => sum + 24 + id.length + lengthOfAll(neighbours),
        0,
      )
    : 40

const lengthOfAll = (neighbours: readonly { readonly id: string }[]) =>
  neighbours.reduce((sum, { id }) => sum + 34 + id.length, 0)

const tooSlow = () =>
  unavailable(
    `The answer was read too slowly; read at least ${leastPace} bytes a second, and go on with after`,
  )
