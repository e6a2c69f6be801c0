import { cancelled, ServiceError, unavailable } from '../errors.ts'
import type { WhoWaits } from './limiter.ts'

/** How long a reader may take nothing, at the start or after any part. */
const graceSeconds = 30
/** How many bytes a second a reader must take at least: half a megabit. */
const minBytesPerSecond = 64 * 1024
/**
 * While others wait, each second counts as this many, because they wait less long than the grace.
 */
const whileOthersWait = 4
/** Seconds for which a reader that can go on later may keep others waiting, whatever its pace. */
const maxContested = 60
/** Seconds for which a keyless reader may block one with a key; less than any queue's timeout. */
const maxWithoutKey = 5

/**
 * Small enough that a client at the minimum rate takes each piece within the grace, even while
 * others wait.
 */
const pieceBytes = 256 * 1024

/** Puts a text in pieces that a slow client takes in time. */
export async function inPieces(
  put: (piece: Buffer<ArrayBuffer>) => Promise<void>,
  text: string,
): Promise<void> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    await put(bytes.subarray(at, at + pieceBytes))
  }
}

/** Each part waits for the reader, and one is made ahead. A reader that is too slow is cut off. */
export interface MinimumRate<Part> {
  /** Returns the size in bytes, roughly. */
  readonly sizeOf: (part: Part) => number
  /** Says who waits for the place that is held while the parts are read. */
  readonly whoWaits?: () => WhoWaits
  /**
   * Whether the reader can go on later where it was cut off. If so, it gives way to those who wait.
   */
  readonly canGoOn?: boolean
  /** The tick of the clock in milliseconds; a second except in tests. */
  readonly tickMs?: number | undefined
}

/**
 * Nothing waits for the reader. If `maxKept` parts are unread, each new part replaces the last one.
 */
interface Latest {
  readonly maxKept: number
}

/**
 * Yields what `produce` puts, for a client that takes it part by part. With a minimum rate,
 * whatever `produce` holds is held only as long as the client keeps that rate, and released at once
 * if it does not.
 * @param produce gets `put`, which throws when nobody will take its part
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
  /** Settles the `put` whose part waits for the reader. */
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
    // Those who wait do not care whether the reader or the source is slow, so both count.
    if (whoWaits !== 'nobody' && canGoOn) this.#contested += 1
    if (whoWaits === 'with-key') this.#withoutKey += 1
    const isTooLong = this.#contested >= maxContested || this.#withoutKey >= maxWithoutKey
    if (isTooLong) this.giveUp(gaveWay(canGoOn))
    // Only the time in which the client could take something counts.
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
