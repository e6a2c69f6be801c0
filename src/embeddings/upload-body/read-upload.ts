import type { Requester } from '../../concurrency/limiter.ts'
import { readSplit } from './items.ts'
import { splitJson } from './split.ts'
import { SplitterPool } from './splitter-pool.ts'

/** From this size on, reading the numbers of a body would keep other requests waiting. */
const largeBytes = 1024 * 1024

/**
 * Reads JSON with lists of items, whose vectors are read directly as float32. Large bodies are read
 * in a thread.
 */
export function createUploadReader() {
  const pool = new SplitterPool()
  return async (bytes: Buffer<ArrayBuffer>, requester: Requester): Promise<unknown> =>
    readSplit(bytes.length >= largeBytes ? await pool.split(bytes, requester) : splitJson(bytes))
}
