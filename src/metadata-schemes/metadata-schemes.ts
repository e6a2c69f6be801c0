import type { TaskBudget } from '../concurrency/cpu-time.ts'
import { ThreadPool } from '../concurrency/thread-pool.ts'
import { workerScript } from '../concurrency/worker-script.ts'
import { ThreadEnded, WorkerThread } from '../concurrency/worker-thread.ts'
import { badRequest, unavailable, unprocessable } from '../errors.ts'
import { OwnerLimiter } from './owner-limiter.ts'
import type { SchemeReply, SchemeRequest, SchemeViolation } from './validate.ts'

export const maxSchemeBytes = 64 * 1024
/** The limit on processor time per batch, including compilation. */
const cpuMs = 1_000

/** Limits on wall-clock time, for batches that get too little processor time. */
interface Timeouts {
  /** Shorter than other requests wait in the queue. */
  readonly usualMs: number
  /** For slow owners, who only delay each other. */
  readonly slowMs: number
}

const usualTimeouts: Timeouts = { usualMs: 8_000, slowMs: 60_000 }
/** A batch that takes more processor time than this marks its owner as slow. */
const slowCpuMs = 250
/**
 * A second defence after the time limit, which stops most attacks first. It has no effect on Bun. A
 * lower limit would be unsafe: V8 ends the whole process when a single allocation exceeds the limit
 * by more than 16 MB, and the list of violations takes a tenth of the heap.
 */
const maxHeapMb = 128

/**
 * Compiles and runs the metadataSchemes of projects in separate threads, because they are untrusted
 * code. A schema that takes too much time or memory is refused to its owner, and delays others only
 * for a moment.
 */
export class MetadataSchemes {
  readonly #timeouts: Timeouts
  readonly #owners = new OwnerLimiter()
  readonly #script = workerScript(import.meta.url, './worker.ts')
  readonly #threads = new ThreadPool<SchemeRequest, SchemeReply>(
    { maxConcurrent: 2, maxQueue: 100, queueTimeoutMs: 10_000 },
    () => new WorkerThread(this.#script, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
  )

  constructor(timeouts: Timeouts = usualTimeouts) {
    this.#timeouts = timeouts
  }

  /** @throws 400 if the text is too long, 422 if it is not a valid JSON Schema, 503 */
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
   * @returns the first violations, at most `maxViolations`
   * @throws 400 if it takes too much time or memory, 503
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

  /** @param refuse creates the error for a schema that took too much time or memory */
  async #run(owner: number, task: Task, refuse: (reason: string) => Error): Promise<SchemeReply> {
    let wasSlow = false
    const attempt = () =>
      this.#owners.run(owner, (slow) => {
        wasSlow = slow
        return this.#ask(owner, task, slow)
      })
    try {
      return await attempt().catch((error: unknown) => {
        // The first attempt was stopped so as not to delay others. A slow owner's retry gets more
        // time.
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
    // Transferred bytes do not count towards the thread's heap.
    const lines = new TextEncoder().encode(batch.join('\n'))
    const { usualMs, slowMs } = this.#timeouts
    const budget: TaskBudget = { cpuMs, timeoutMs: slow ? slowMs : usualMs }
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
