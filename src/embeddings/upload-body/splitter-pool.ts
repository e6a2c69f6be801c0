import { availableParallelism } from 'node:os'
import type { Requester } from '../../concurrency/limiter.ts'
import { ThreadPool } from '../../concurrency/thread-pool.ts'
import { workerScript } from '../../concurrency/worker-script.ts'
import { WorkerThread } from '../../concurrency/worker-thread.ts'
import { ServiceError, unavailable } from '../../errors.ts'
import type { Split } from './split.ts'

const maxThreads = 4

/** Threads that split large JSON texts. */
export class SplitterPool {
  readonly #script = workerScript(import.meta.url, './worker.ts')
  readonly #threads = new ThreadPool<Uint8Array<ArrayBuffer>, Split>(
    {
      // One processor is left to the event loop, which serves all other requests.
      maxConcurrent: Math.max(1, Math.min(maxThreads, availableParallelism() - 1)),
      maxQueue: 32,
      queueTimeoutMs: 30_000,
    },
    () => new WorkerThread(this.#script),
  )

  /**
   * Takes the buffer of `bytes` away from the caller.
   * @throws 503 if too many are waiting or the thread ended
   */
  async split(bytes: Uint8Array<ArrayBuffer>, requester: Requester): Promise<Split> {
    try {
      return await this.#threads.ask(bytes, { transfer: [bytes.buffer], requester })
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause
      throw unavailable('The body could not be read; try again', cause)
    }
  }
}
