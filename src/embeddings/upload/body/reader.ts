import { availableParallelism } from 'node:os'
import type { Requester } from '../../../concurrency/limiter.ts'
import { ThreadPool } from '../../../concurrency/thread-pool.ts'
import { workerScript } from '../../../concurrency/worker-script.ts'
import { WorkerThread } from '../../../concurrency/worker-thread.ts'
import { ServiceError, unavailable } from '../../../errors.ts'
import { ItemReader, readSplit } from './items.ts'
import { type Split, splitJson, splitLines } from './split.ts'

/** From this size on, reading the numbers of a body would keep other requests waiting. */
const largeBytes = 1024 * 1024
const maxThreads = 4

export interface SplitRequest {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isLines: boolean
}

/**
 * Reads JSON whose items have vectors, which are read directly as float32. Large bodies are split
 * in threads. Both functions take the buffer of `bytes` away from the caller.
 */
export function createUploadReader() {
  const script = workerScript(import.meta.url, './worker.ts')
  const threads = new ThreadPool<SplitRequest, Split>(
    {
      // One processor is left to the event loop, which serves all other requests.
      maxConcurrent: Math.max(1, Math.min(maxThreads, availableParallelism() - 1)),
      maxQueue: 32,
      queueTimeoutMs: 30_000,
    },
    () => new WorkerThread(script),
  )

  /** @throws 503 if too many are waiting or the thread ended */
  async function splitInThread(request: SplitRequest, requester: Requester): Promise<Split> {
    try {
      return await threads.ask(request, { transfer: [request.bytes.buffer], requester })
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause
      throw unavailable('The body could not be read; try again', cause)
    }
  }

  return {
    /** Reads a body; its lists become `Items`. @throws 400 if it is not JSON, 503 */
    async json(bytes: Buffer<ArrayBuffer>, requester: Requester): Promise<unknown> {
      const isLarge = bytes.length >= largeBytes
      return readSplit(
        isLarge ? await splitInThread({ bytes, isLines: false }, requester) : splitJson(bytes),
      )
    },

    /** Prepares to read each line. @throws 503 */
    async lines(bytes: Buffer<ArrayBuffer>, requester: Requester): Promise<ItemReader> {
      const isLarge = bytes.length >= largeBytes
      return new ItemReader(
        isLarge ? await splitInThread({ bytes, isLines: true }, requester) : splitLines(bytes),
      )
    },
  }
}

export type UploadReader = ReturnType<typeof createUploadReader>
