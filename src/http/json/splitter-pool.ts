import { availableParallelism } from 'node:os'
import { ServiceError, unavailable } from '../../errors.ts'
import { ThreadPool } from '../../threads/thread-pool.ts'
import { WorkerThread } from '../../threads/worker-thread.ts'
import type { Requester } from '../../turns.ts'
import type { Split } from './split.js'

const maxThreads = 4

/** Threads that split large JSON texts. */
export class SplitterPool {
  readonly #threads = new ThreadPool<Uint8Array<ArrayBuffer>, Split>(
    {
      // A processor is left to the event loop, where everybody else is waiting.
      atOnce: Math.max(1, Math.min(maxThreads, availableParallelism() - 1)),
      waiting: 32,
      patienceMs: 30_000,
    },
    () => new WorkerThread(new URL('./worker.js', import.meta.url)),
  )

  /**
   * Takes the buffer of `bytes` away from the caller.
   * @throws 503 when too many are waiting or the thread ended
   */
  async split(bytes: Uint8Array<ArrayBuffer>, requester: Requester): Promise<Split> {
    try {
      return await this.#threads.ask(bytes, { transfer: [bytes.buffer] }, 'first', requester)
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause
      throw unavailable('The body could not be read; try again', cause)
    }
  }
}
