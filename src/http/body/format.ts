import type { HonoRequest } from 'hono'
import type { Requester } from '../../concurrency/limiter.ts'
import { parseJson } from '../../json/parse.ts'

/** How an operation wants its body read. */
export interface BodyFormat {
  /** Which limit it has: of what is uploaded in bulk, of one embedding or a list of text_ids, or of everything else. */
  readonly size: 'bulk' | 'list' | 'usual'
  /** Whether a body of this Content-Type is not read as a whole but handed over as it comes: see `bodyStream`. */
  readonly isStreamed?: (contentType: string | undefined) => boolean
  /** The field of the list that the body is about, of which some clients send nothing else. */
  readonly list?: string
  /** What to do with more than the limit allows. */
  readonly instead?: string
  /**
   * Makes of the bytes what is validated. It may take the buffer over.
   * @throws 400 for what it cannot read
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

/** Of an operation that takes an embedding, or thousands of text_ids. */
export const listBody: BodyFormat = { ...jsonBody, size: 'list' }
