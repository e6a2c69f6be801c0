/** What a load process does again and again; it arrives there by message. */
export type Job = HttpJob | SqlJob | CopyJob

/** Requests in turn; every client begins at another one. */
export interface HttpJob {
  readonly kind: 'http'
  readonly url: string
  readonly key: string
  readonly requests: readonly HttpRequest[]
  readonly expected: number
  /** JSON unless said. */
  readonly contentType?: string
  /** Text that an answer must hold, where its status does not say that all went well. */
  readonly holds?: string
  /** Waits between the requests of a client. */
  readonly pauseMs?: number
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Uint8Array<ArrayBuffer>
}

/** Does one request at a time. */
export type Client = () => Promise<unknown>

/** The same query with parameters in turn, one connection for each client. */
export interface SqlJob {
  readonly kind: 'sql'
  readonly database: string
  readonly session: readonly string[]
  /** Run first with the parameters; its one value becomes the first parameter of the query. */
  readonly source?: string
  readonly query: string
  readonly parameters: readonly (readonly string[])[]
}

/** The same rows under new text_ids, one connection for each client. */
export interface CopyJob {
  readonly kind: 'copy'
  readonly database: string
  readonly statement: string
  readonly body: Uint8Array
}

/** In a body of a POST or a COPY, each occurrence is replaced, so that every text_id is new. */
export const freshPrefix = 'FRESH-00'

export type Task =
  | { readonly kind: 'prepare'; readonly job: Job; readonly seat: number }
  | { readonly kind: 'run'; readonly clients: number; readonly ms: number }

/** What a run measured, in milliseconds. */
export interface Sample {
  readonly latencies: readonly number[]
  /** From the first request to the last answer. */
  readonly elapsed: number
}

export type Answer = { readonly sample: Sample } | { readonly failure: string }
