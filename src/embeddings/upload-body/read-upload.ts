import type { Requester } from '../../concurrency/limiter.ts'
import { splitJson } from './split.ts'
import { SplitterPool } from './splitter-pool.ts'
import { jsonValue } from './value.ts'

/** From this size on reading the numbers of a body would keep other requests waiting. */
const largeBytes = 1024 * 1024

/** Reads JSON whose vectors go straight into float32, in a thread if it is large. */
export function createUploadReader() {
  const pool = new SplitterPool()
  return async (bytes: Buffer<ArrayBuffer>, requester: Requester): Promise<unknown> =>
    jsonValue(bytes.length >= largeBytes ? await pool.split(bytes, requester) : splitJson(bytes))
}
