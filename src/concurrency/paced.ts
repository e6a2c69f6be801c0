import { ServiceError } from '../errors.ts'
import { cancelled, type WhoWaits } from './limiter.ts'

/** How long a reader may take nothing, at the start or after any part … */
const graceSeconds = 30
/** … and of what it takes, at least so many bytes a second: half a megabit. */
const minBytesPerSecond = 64 * 1024
/** Each second counts as so many while others wait: their patience is shorter than the grace. */
const whileOthersWait = 4
/** Seconds, at any pace, for which others can be kept waiting by who can go on later … */
const mostContested = 60
/** … and by who has no key, when it is one with a key that waits; shorter than any queue's patience. */
const mostWithoutKey = 5

export interface Pace<Part> {
  /** Bytes, roughly. */
  readonly sizeOf: (part: Part) => number
  /** For the place that is kept while the parts are read. */
  readonly whoWaits?: () => WhoWaits
  /** Whether the reader can go on later where it was broken off: then places change hands. */
  readonly canGoOn?: boolean
  /** Of the clock; a second, but in tests. */
  readonly tickMs?: number | undefined
}

/**
 * What `produce` puts, for a client that takes it part by part; one is made ahead. What is behind the parts
 * is held only as long as they are taken at a pace, and given up at once when they are not.
 * @param produce is given `put`, which waits until its part was taken and throws when nobody will take it
 */
export async function* paced<Part>(
  produce: (put: (part: Part) => Promise<void>) => Promise<void>,
  pace: Pace<Part>,
): AsyncGenerator<Part, void> {
  const handover = new Handover(pace)
  const timer = setInterval(() => handover.tick(), pace.tickMs ?? 1_000)
  timer.unref()
  const done = produce((part) => handover.put(part)).then(
    () => handover.end(undefined),
    (error) => handover.end({ error }),
  )
  try {
    for (;;) {
      const part = await handover.take()
      if (part === undefined) return
      yield part
    }
  } finally {
    handover.giveUp(cancelled())
    await done
    clearInterval(timer)
  }
}

interface Waiting<Part> {
  readonly part: Part
  readonly taken: () => void
  readonly refuse: (error: Error) => void
}

class Handover<Part> {
  readonly #pace: Pace<Part>
  #waiting: Waiting<Part> | undefined
  #wanted: (() => void) | undefined
  #ended: { readonly failure: { readonly error: unknown } | undefined } | undefined
  #givenUp: Error | undefined
  #secondsLeft = graceSeconds
  #contested = 0
  #withoutKey = 0

  constructor(pace: Pace<Part>) {
    this.#pace = pace
  }

  put(part: Part): Promise<void> {
    if (this.#givenUp !== undefined) return Promise.reject(this.#givenUp)
    return new Promise((taken, refuse) => {
      this.#waiting = { part, taken, refuse }
      this.#wanted?.()
    })
  }

  /** @returns undefined at the end @throws what the producer failed with */
  async take(): Promise<Part | undefined> {
    if (this.#waiting === undefined && this.#ended === undefined) {
      await new Promise<void>((resolve) => {
        this.#wanted = resolve
      })
    }
    this.#wanted = undefined
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) {
      const earned = this.#pace.sizeOf(waiting.part) / minBytesPerSecond
      this.#secondsLeft = Math.min(graceSeconds, this.#secondsLeft + earned)
      waiting.taken()
      return waiting.part
    }
    if (this.#ended?.failure !== undefined) throw this.#ended.failure.error
    return undefined
  }

  end(failure: { readonly error: unknown } | undefined): void {
    this.#ended = { failure }
    this.#wanted?.()
  }

  /** Only the time counts in which the client could take something. */
  tick(): void {
    if (this.#waiting === undefined) return
    const whoWaits = this.#pace.whoWaits?.() ?? 'nobody'
    this.#secondsLeft -= whoWaits === 'nobody' ? 1 : whileOthersWait
    if (whoWaits !== 'nobody' && this.#pace.canGoOn) this.#contested += 1
    if (whoWaits === 'with-key') this.#withoutKey += 1
    const isTooLong = this.#contested >= mostContested || this.#withoutKey >= mostWithoutKey
    if (isTooLong || this.#secondsLeft <= 0) this.giveUp(tooSlow(this.#pace))
  }

  giveUp(error: Error): void {
    this.#givenUp ??= error
    this.#waiting?.refuse(this.#givenUp)
    this.#waiting = undefined
  }
}

const tooSlow = ({ canGoOn }: Pick<Pace<never>, 'canGoOn'>) =>
  new ServiceError(
    'timed-out',
    `The answer was read too slowly; read at least ${minBytesPerSecond} bytes a second, and more while others wait${canGoOn ? ', and go on with after' : ''}`,
  )
