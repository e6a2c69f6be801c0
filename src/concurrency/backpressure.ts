import { ServiceError, unavailable } from '../errors.ts'
import { cancelled, type WhoWaits } from './limiter.ts'

/** How long a reader may take nothing, at the start or after any part … */
const graceSeconds = 30
/** … and of what it takes, at least so many bytes a second: half a megabit. */
const minBytesPerSecond = 64 * 1024
/** Each second counts as so many while others wait: their patience is shorter than the grace. */
const whileOthersWait = 4
/** Seconds, at any rate, for which others can be kept waiting by who can go on later … */
const maxContested = 60
/** … and by who has no key, when it is one with a key that waits; shorter than any queue's patience. */
const maxWithoutKey = 5

/** Parts wait for the reader, one made ahead; who is too slow is given up. */
export interface MinimumRate<Part> {
  /** Bytes, roughly. */
  readonly sizeOf: (part: Part) => number
  /** For the place that is kept while the parts are read. */
  readonly whoWaits?: () => WhoWaits
  /** Whether the reader can go on later where it was broken off: then places change hands. */
  readonly canGoOn?: boolean
  /** Of the clock; a second, but in tests. */
  readonly tickMs?: number | undefined
}

/** Nothing waits for the reader: of more parts than these the last are left out but for the very last. */
interface Latest {
  readonly maxKept: number
}

/**
 * What `produce` puts, for a client that takes it part by part. Where parts wait for it, what is behind them is
 * held only as long as they are taken at the minimum rate, and given up at once when they are not.
 * @param produce is given `put`, which throws when nobody will take its part
 */
export async function* withBackpressure<Part>(
  produce: (put: (part: Part) => Promise<void>) => Promise<void>,
  slowReader: MinimumRate<Part> | Latest,
): AsyncGenerator<Part, void> {
  const channel = new Channel(slowReader)
  const tickMs = 'tickMs' in slowReader ? slowReader.tickMs : undefined
  const timer = setInterval(() => channel.tick(), tickMs ?? 1_000)
  timer.unref()
  const done = produce((part) => channel.put(part)).then(
    () => channel.end(undefined),
    (error) => channel.end({ error }),
  )
  try {
    for (;;) {
      const part = await channel.take()
      if (part === undefined) return
      yield part
    }
  } finally {
    channel.giveUp(cancelled())
    await done
    clearInterval(timer)
  }
}

class Channel<Part> {
  readonly #rate: MinimumRate<Part> | undefined
  readonly #maxKept: number | undefined
  readonly #parts: Part[] = []
  /** Where the one part waits for the reader. */
  #held: { readonly taken: () => void; readonly refuse: (error: Error) => void } | undefined
  #wanted: (() => void) | undefined
  #ended: { readonly failure: { readonly error: unknown } | undefined } | undefined
  #givenUp: Error | undefined
  #secondsLeft = graceSeconds
  #contested = 0
  #withoutKey = 0

  constructor(slowReader: MinimumRate<Part> | Latest) {
    this.#rate = 'maxKept' in slowReader ? undefined : slowReader
    this.#maxKept = 'maxKept' in slowReader ? slowReader.maxKept : undefined
  }

  put(part: Part): Promise<void> {
    if (this.#givenUp !== undefined) return Promise.reject(this.#givenUp)
    if (this.#parts.length === this.#maxKept) this.#parts.pop()
    this.#parts.push(part)
    this.#wanted?.()
    if (this.#rate === undefined) return Promise.resolve()
    return new Promise((taken, refuse) => {
      this.#held = { taken, refuse }
    })
  }

  /** @returns undefined at the end @throws what the producer failed with */
  async take(): Promise<Part | undefined> {
    if (this.#parts.length === 0 && this.#ended === undefined) {
      await new Promise<void>((resolve) => {
        this.#wanted = resolve
      })
    }
    this.#wanted = undefined
    const part = this.#parts.shift()
    if (part !== undefined) {
      const earned = (this.#rate?.sizeOf(part) ?? 0) / minBytesPerSecond
      this.#secondsLeft = Math.min(graceSeconds, this.#secondsLeft + earned)
      this.#held?.taken()
      this.#held = undefined
    } else if (this.#ended?.failure !== undefined) throw this.#ended.failure.error
    return part
  }

  end(failure: { readonly error: unknown } | undefined): void {
    this.#ended = { failure }
    this.#wanted?.()
  }

  tick(): void {
    if (this.#ended !== undefined) return
    const whoWaits = this.#rate?.whoWaits?.() ?? 'nobody'
    const canGoOn = this.#rate?.canGoOn === true
    // Those who wait do not care whether it is the reader or what is read that takes its time.
    if (whoWaits !== 'nobody' && canGoOn) this.#contested += 1
    if (whoWaits === 'with-key') this.#withoutKey += 1
    const isTooLong = this.#contested >= maxContested || this.#withoutKey >= maxWithoutKey
    if (isTooLong) this.giveUp(gaveWay(canGoOn))
    // Only the time counts in which the client could take something.
    if (this.#held === undefined) return
    this.#secondsLeft -= whoWaits === 'nobody' ? 1 : whileOthersWait
    if (this.#secondsLeft <= 0) this.giveUp(tooSlow(canGoOn))
  }

  giveUp(error: Error): void {
    this.#givenUp ??= error
    this.#held?.refuse(this.#givenUp)
    this.#held = undefined
    this.#parts.length = 0
  }
}

const goOn = (canGoOn: boolean) => (canGoOn ? ', and go on with after' : '')

const tooSlow = (canGoOn: boolean) =>
  new ServiceError(
    'timed-out',
    `The answer was read too slowly; read at least ${minBytesPerSecond} bytes a second, and more while others wait${goOn(canGoOn)}`,
  )

const gaveWay = (canGoOn: boolean) =>
  unavailable(`Others have waited for this place; try again in a moment${goOn(canGoOn)}`)
