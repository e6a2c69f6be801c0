import { bodyTooSlow, type ServiceError, tooLarge } from '../../errors.ts'

/** Where the parts of a body come from, as from the reader of a stream. */
export interface BodySource {
  read(): Promise<{ readonly done?: boolean; readonly value?: Uint8Array | undefined }>
}

/** How long a body may send nothing, at its start or after any part of it. */
const graceSeconds = 10
/** Of 128 kbit/s, less than any line that embeddings are uploaded over; a byte now and then is an attack. */
export const minBytesPerSecond = 16 * 1024

/**
 * The chunks of a request's body as they arrive, at most `limit` bytes. Whatever is not read to its
 * end is read away, so that a client which sends before it reads gets the answer; the server, which
 * has the connection, says for how long.
 * @throws 408 when it arrives too slowly, 413 above the limit
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
  // Ticks, not one deadline: when this process was busy itself, one tick comes late, not many.
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
    // The connection is closed, and with it nothing is left to read.
  }
}
