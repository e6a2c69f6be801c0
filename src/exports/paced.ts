import { cancelled } from '../concurrency/limiter.ts'
import { ServiceError } from '../errors.ts'

/** How long a client may take nothing, at the start or after any part … */
const graceSeconds = 30
/** … and of what it takes, at least so many bytes a second: half a megabit. */
const minBytesPerSecond = 64 * 1024

type Part = string | Uint8Array<ArrayBuffer>

/**
 * What `produce` puts, for a client that takes it part by part; one is made ahead. What is behind the parts
 * is held only as long as they are taken at a pace.
 * @param produce is given `put`, which waits until its part was taken and throws when nobody will take it
 * @param tick of the clock, in milliseconds, for tests
 */
export async function* paced(
  produce: (put: (part: Part) => Promise<void>) => Promise<void>,
  tick = 1_000,
): AsyncGenerator<Part, void> {
  const handover = new Handover()
  const timer = setInterval(() => handover.tick(), tick)
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

interface Waiting {
  readonly part: Part
  readonly taken: () => void
  readonly refuse: (error: Error) => void
}

class Handover {
  #waiting: Waiting | undefined
  #wanted: (() => void) | undefined
  #ended: { readonly failure: { readonly error: unknown } | undefined } | undefined
  #givenUp: Error | undefined
  #secondsLeft = graceSeconds

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
      const earned = waiting.part.length / minBytesPerSecond
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
    this.#secondsLeft -= 1
    if (this.#secondsLeft <= 0) this.giveUp(tooSlow())
  }

  giveUp(error: Error): void {
    this.#givenUp ??= error
    this.#waiting?.refuse(this.#givenUp)
    this.#waiting = undefined
  }
}

const tooSlow = () =>
  new ServiceError(
    'timed-out',
    `The answer is taken too slowly; take at least ${minBytesPerSecond} bytes a second`,
  )
