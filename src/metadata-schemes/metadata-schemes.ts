import { ThreadPool } from '../concurrency/thread-pool.ts'
import { ThreadEnded, WorkerThread } from '../concurrency/worker-thread.ts'
import { badRequest, unavailable, unprocessable } from '../errors.ts'
import { OwnerLimiter } from './owner-limiter.ts'
import type { Violation } from './validate-lines.js'
import type { Reply, Request } from './worker.js'

export const maxSchemeBytes = 64 * 1024
/** Processor time of a batch, the compilation included. */
const budgetMs = 1_000
/** By the clock. Less than others wait for their turn. */
const timeoutMs = 8_000
/** Processor time from which on a batch is nothing that others should wait behind. */
const slowMs = 250
/**
 * Second to the time limit, which ends most bombs first, and without effect on Bun. Not less: V8
 * ends the whole process when a single allocation exceeds the limit by more than 16 MB, and the
 * list of violations takes a tenth of the heap.
 */
const maxHeapMb = 128

interface Task {
  readonly scheme: string
  readonly batch: readonly string[]
  readonly most: number
}

/**
 * Compiles and runs the metadataSchemes of projects, which are code from strangers, in threads of
 * their own: a schema that takes too much time or memory costs its owner a refusal, and nobody else
 * more than a moment.
 */
export class MetadataSchemes {
  readonly #owners = new OwnerLimiter()
  readonly #threads = new ThreadPool<Request, Reply>(
    { maxConcurrent: 2, maxQueue: 100, queueTimeoutMs: 10_000 },
    () =>
      new WorkerThread(new URL('./worker.js', import.meta.url), {
        maxOldGenerationSizeMb: maxHeapMb,
      }),
  )

  /** @throws 400 when the text is too long, 422 when it is not a valid JSON Schema, 503 */
  async check(owner: number, scheme: string): Promise<void> {
    if (Buffer.byteLength(scheme) > maxSchemeBytes) {
      throw badRequest(`metadataScheme: must have at most ${maxSchemeBytes} bytes`)
    }
    const task = { scheme, batch: [], most: 0 }
    const reply = await this.#run(owner, task, (reason) => notValid(`compiling it ${reason}`))
    if ('invalid' in reply) throw notValid(reply.invalid)
  }

  /**
   * Validates the metadata of a batch, given as JSON texts without line breaks.
   * @returns the first bad ones, at most so many
   * @throws 400 when it takes too much time or memory, 503
   */
  async findViolations(
    owner: number,
    scheme: string,
    batch: readonly string[],
    most: number,
  ): Promise<Violation[]> {
    const task = { scheme, batch, most }
    const reply = await this.#run(owner, task, (reason) =>
      badRequest(
        `Validating the metadata against the project's metadataScheme ${reason}; simplify the scheme or send smaller batches`,
      ),
    )
    if ('invalid' in reply) throw badRequest(`The project's ${notValid(reply.invalid).message}`)
    return reply.violations
  }

  async #run(
    owner: number,
    { scheme, batch, most }: Task,
    refusal: (reason: string) => Error,
  ): Promise<Reply> {
    try {
      return await this.#owners.run(owner, async (slow) => {
        // Bytes, which are handed over, lie outside the thread's heap.
        const lines = new TextEncoder().encode(batch.join('\n'))
        const terms = { transfer: [lines.buffer], budget: { budgetMs, timeoutMs } }
        const reply = await this.#threads.ask(
          { scheme, lines, most },
          terms,
          slow ? 'last' : 'first',
        )
        if (reply.ms > slowMs) this.#owners.setSlow(owner)
        return reply
      })
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      this.#owners.setSlow(owner)
      if (error.reason === 'starved') {
        throw unavailable('The service is too busy to run the metadataScheme; try again', error)
      }
      if (error.reason === 'failure') {
        throw unavailable('The metadataScheme could not be run; try again', error)
      }
      throw refusal(
        error.reason === 'time'
          ? `took longer than ${budgetMs} ms`
          : `took more than ${maxHeapMb} MiB of memory`,
      )
    }
  }
}

const notValid = (reason: string) =>
  unprocessable(`metadataScheme is not a valid JSON Schema: ${reason.slice(0, 500)}`)
