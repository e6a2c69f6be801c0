import { bodyTooSlow, type ServiceError, tooLarge } from '../../errors.ts'

/** The source of a body's chunks, such as the reader of a stream. */
export interface BodySource {
  read(): Promise<{ readonly done?: boolean; readonly value?: Uint8Array | undefined }>
  /** Takes the whole body if it is there already, and nothing of it was read. */
  arrived?(): Uint8Array | undefined
}

/** How long a client may send nothing, at the start of a body or after any part of it. */
const graceSeconds = 10
/** 128 kbit/s, slower than any line used to upload embeddings. A slower sender is an attack. */
export const minBytesPerSecond = 16 * 1024

/**
 * Yields the chunks of a request body as they arrive, at most `limit` bytes. If the body is not
 * read to its end, the rest is drained, so that a client that sends before it reads gets the
 * answer. The server owns the connection and limits how long that takes.
 * @throws 408 if the body arrives too slowly, 413 above the limit
 */
export async function* receivedChunks(
  reader: BodySource,
  limit: number,
): AsyncGenerator<Uint8Array, void, void> {
  const pace = new ArrivalRate()
  let size = 0
  let ended = false
  try {
    for (;;) {
      const { done, value } = await pace.read(reader)
      if (done === true || value === undefined) {
        ended = true
        return
      }
      size += value.byteLength
      if (size > limit) throw tooLarge(limit)
      yield value
    }
  } finally {
    pace.stop()
    if (!ended) void readAway(reader)
  }
}

/** Gives up on a client that sends too slowly. Only the time spent waiting for it counts. */
class ArrivalRate {
  #secondsLeft = graceSeconds
  #giveUp: ((reason: ServiceError) => void) | undefined
  // Ticks instead of one deadline: if this process itself was busy, one tick comes late, not many.
  readonly #timer = setInterval(() => this.#tick(), 1_000)

  read(reader: BodySource): ReturnType<BodySource['read']> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject
      reader.read().then((result) => {
        this.#giveUp = undefined
        const seconds = (result.value?.byteLength ?? 0) / minBytesPerSecond
        this.#secondsLeft = Math.min(graceSeconds, this.#secondsLeft + seconds)
        resolve(result)
      }, reject)
    })
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    if (this.#giveUp === undefined) return
    this.#secondsLeft -= 1
    if (this.#secondsLeft > 0) return
    this.#giveUp(bodyTooSlow(minBytesPerSecond))
  }
}

async function readAway(reader: BodySource): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The connection is closed, so nothing is left to read.
  }
}
