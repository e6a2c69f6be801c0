import type { HonoRequest } from 'hono'
import type { Requester } from '../../concurrency/limiter.ts'
import { parseJson } from '../../json/parse.ts'

/** How an operation reads its body. */
export interface BodyFormat {
  /**
   * Which size limit applies: the one for bulk uploads, the one for an embedding or a list of
   * text_ids, or the one for everything else.
   */
  readonly size: 'bulk' | 'list' | 'usual'
  /** Whether a body with this Content-Type is streamed (see `bodyStream`) instead of read whole. */
  readonly isStreamed?: (contentType: string | undefined) => boolean
  /**
   * The field that holds the body's list. Some clients send the bare list instead of the object.
   */
  readonly list?: string
  /** What to do instead if the body exceeds the limit; the error message says it. */
  readonly instead?: string
  /**
   * Turns the bytes into the value that is validated. It may take over the buffer.
   * @throws 400 if it cannot read them
   */
  readonly parse: (
    bytes: Buffer<ArrayBuffer>,
    requester: Requester,
    request: HonoRequest,
  ) => Promise<unknown>
}

export const streamedBody: BodyFormat = {
  size: 'bulk',
  isStreamed: () => true,
  parse: () => Promise.reject(new Error('a streamed body is not read as a whole')),
}

export const jsonBody: BodyFormat = { size: 'usual', parse: async (bytes) => parseJson(bytes) }

/** For operations that take an embedding, or thousands of text_ids. */
export const listBody: BodyFormat = { ...jsonBody, size: 'list' }
