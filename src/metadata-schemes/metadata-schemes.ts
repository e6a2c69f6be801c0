import type { CpuBudget } from '../concurrency/cpu-budget.ts'
import { ThreadPool } from '../concurrency/thread-pool.ts'
import { workerScript } from '../concurrency/worker-script.ts'
import { ThreadEnded, WorkerThread } from '../concurrency/worker-thread.ts'
import { badRequest, unavailable, unprocessable } from '../errors.ts'
import type { SchemeReply, SchemeRequest } from './messages.ts'
import { OwnerLimiter } from './owner-limiter.ts'
import type { SchemeViolation } from './validate-lines.ts'

export const maxSchemeBytes = 64 * 1024
/** Processor time that a batch may cost, the compilation included. */
const cpuMs = 1_000

/** By the clock, after which a batch is given up that did not get its processor time. */
interface Timeouts {
  /** Shorter than others wait in the queue. */
  readonly usualMs: number
  /** Of slow owners, who keep nobody waiting but each other. */
  readonly slowMs: number
}

const usualTimeouts: Timeouts = { usualMs: 8_000, slowMs: 60_000 }
/** Processor time above which a batch is nothing that others should wait behind. */
const slowCpuMs = 250
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
  readonly #timeouts: Timeouts
  readonly #owners = new OwnerLimiter()
  readonly #script = workerScript(import.meta.url, './worker.ts')
  readonly #threads = new ThreadPool<SchemeRequest, SchemeReply>(
    { maxConcurrent: 2, maxQueue: 100, queueTimeoutMs: 10_000 },
    () => new WorkerThread(this.#script, { maxOldGenerationSizeMb: maxHeapMb }),
  )

  constructor(timeouts: Timeouts = usualTimeouts) {
    this.#timeouts = timeouts
  }

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
  async #run(owner: number, task: Task, refuse: (reason: string) => Error): Promise<SchemeReply> {
    let wasSlow = false
    const attempt = () =>
      this.#owners.run(owner, (slow) => {
        wasSlow = slow
        return this.#ask(owner, task, slow)
      })
    try {
      return await attempt().catch((error: unknown) => {
        // Given up for those who may wait; as a slow owner's it can have the time that it needs.
        if (wasSlow || !(error instanceof ThreadEnded) || error.reason !== 'timeout') throw error
        return attempt()
      })
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      throw threadEndedError(error, refuse)
    }
  }

  /** @throws ThreadEnded */
  async #ask(
    owner: number,
    { scheme, batch, maxViolations }: Task,
    slow: boolean,
  ): Promise<SchemeReply> {
    // Bytes, which are handed over, lie outside the thread's heap.
    const lines = new TextEncoder().encode(batch.join('\n'))
    const { usualMs, slowMs } = this.#timeouts
    const budget: CpuBudget = { cpuMs, timeoutMs: slow ? slowMs : usualMs }
    try {
      const reply = await this.#threads.ask(
        { scheme, lines, maxViolations },
        { transfer: [lines.buffer], budget, thread: slow ? 'last' : 'first' },
      )
      if (reply.cpuMs > slowCpuMs) this.#owners.markSlow(owner)
      return reply
    } catch (error) {
      if (error instanceof ThreadEnded) this.#owners.markSlow(owner)
      throw error
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
      return refuse(`took longer than ${cpuMs} ms`)
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
