import type { CpuBudget } from '../concurrency/cpu-budget.ts'
import { ThreadPool } from '../concurrency/thread-pool.ts'
import { workerScript } from '../concurrency/worker-script.ts'
import { ThreadEnded, WorkerThread } from '../concurrency/worker-thread.ts'
import { badRequest, unavailable, unprocessable } from '../errors.ts'
import type { SchemeReply, SchemeRequest } from './messages.ts'
import { OwnerLimiter } from './owner-limiter.ts'
import type { SchemeViolation } from './validate-lines.ts'

export const maxSchemeBytes = 64 * 1024
/**
 * What a batch may cost, the compilation included. The timeout is shorter than others wait in the
 * queue.
 */
const budget: CpuBudget = { cpuMs: 1_000, timeoutMs: 8_000 }
/** Processor time above which a batch is nothing that others should wait behind. */
const slowMs = 250
/**
 * Second to the time limit, which ends most bombs first, and without effect on Bun. Not less: V8
 * ends the whole process when a single allocation exceeds the limit by more than 16 MB, and the
 * list of violations takes a tenth of the heap.
 */
const maxHeapMb = 128

/**
 * Compiles and runs the metadataSchemes of projects, which are code from strangers, in threads of
 * their own: a schema that takes too much time or memory is refused to its owner and delays nobody
 * else by more than a moment.
 */
export class MetadataSchemes {
  readonly #owners = new OwnerLimiter()
  readonly #script = workerScript(import.meta.url, './worker.ts')
  readonly #threads = new ThreadPool<SchemeRequest, SchemeReply>(
    { maxConcurrent: 2, maxQueue: 100, queueTimeoutMs: 10_000 },
    () => new WorkerThread(this.#script, { maxOldGenerationSizeMb: maxHeapMb }),
  )

  /** @throws 400 when the text is too long, 422 when it is not a valid JSON Schema, 503 */
  async check(owner: number, scheme: string): Promise<void> {
    if (Buffer.byteLength(scheme) > maxSchemeBytes) {
      throw badRequest(`metadataScheme: must have at most ${maxSchemeBytes} bytes`)
    }
    const reply = await this.#run(owner, { scheme, batch: [], maxViolations: 0 }, (reason) =>
      notValid(`compiling it ${reason}`),
    )
    if ('invalid' in reply) throw notValid(reply.invalid)
  }

  /**
   * Validates the metadata of a batch, given as JSON texts without line breaks.
   * @returns the first that do not satisfy the schema, at most `maxViolations`
   * @throws 400 when it takes too much time or memory, 503
   */
  async findViolations(
    owner: number,
    scheme: string,
    batch: readonly string[],
    maxViolations: number,
  ): Promise<SchemeViolation[]> {
    const reply = await this.#run(owner, { scheme, batch, maxViolations }, (reason) =>
      badRequest(
        `Validating the metadata against the project's metadataScheme ${reason}; simplify the scheme or send smaller batches`,
      ),
    )
    if ('invalid' in reply) throw badRequest(`The project's ${notValid(reply.invalid).message}`)
    return reply.violations
  }

  /** @param refuse makes the error for a schema that took too much time or memory */
  async #run(
    owner: number,
    { scheme, batch, maxViolations }: Task,
    refuse: (reason: string) => Error,
  ): Promise<SchemeReply> {
    try {
      return await this.#owners.run(owner, async (slow) => {
        // Bytes, which are handed over, lie outside the thread's heap.
        const lines = new TextEncoder().encode(batch.join('\n'))
        const reply = await this.#threads.ask(
          { scheme, lines, maxViolations },
          { transfer: [lines.buffer], budget, thread: slow ? 'last' : 'first' },
        )
        if (reply.cpuMs > slowMs) this.#owners.markSlow(owner)
        return reply
      })
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      this.#owners.markSlow(owner)
      throw threadEndedError(error, refuse)
    }
  }
}

interface Task {
  readonly scheme: string
  readonly batch: readonly string[]
  readonly maxViolations: number
}

function threadEndedError(error: ThreadEnded, refuse: (reason: string) => Error): Error {
  switch (error.reason) {
    case 'cpu-time':
      return refuse(`took longer than ${budget.cpuMs} ms`)
    case 'memory':
      return refuse(`took more than ${maxHeapMb} MiB of memory`)
    case 'timeout':
      return unavailable('The service is too busy to run the metadataScheme; try again', error)
    case 'failure':
    case 'stopped':
      return unavailable('The metadataScheme could not be run; try again', error)
  }
}

const notValid = (reason: string) =>
  unprocessable(`metadataScheme is not a valid JSON Schema: ${reason.slice(0, 500)}`)
