import { SemblanceError } from '../clients/typescript/src/error.ts'
import { readLines } from '../clients/typescript/src/lines.ts'
import { frame, storedKey } from './frame.ts'
import { misreadSegment } from './project/requests.ts'

/** An error answer of the service, with its own message. */
export class RefusedCall extends Error {
  readonly status: number

  constructor(status: number, detail: string) {
    super(detail)
    this.status = status
  }
}

export function asRefusal(error: unknown): RefusedCall {
  if (error instanceof RefusedCall) return error
  return new RefusedCall(0, (error instanceof Error && error.message) || String(error))
}

export interface Answered<Data> {
  readonly data: Data
  readonly headers: Headers
}

interface CallOptions {
  /** Default: GET without a body or lines, POST with one. */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  /** Lines of JSON, in place of a body. */
  readonly lines?: string
  /** In place of the key of this tab; '' for none. */
  readonly key?: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Calls the API with the key of this tab, as any other client would.
 * @param path such as `v1/projects`
 * @returns the answer as the OpenAPI document defines it
 * @throws RefusedCall for any error status
 */
export async function call<Data>(path: string, options: CallOptions = {}): Promise<Answered<Data>> {
  const response = await send(path, options)
  const data = await reached(response.json(), options.signal)
  if (!response.ok) throw refusalIn(response, data)
  return { data, headers: response.headers }
}

/** Gets what is not JSON, or not small. @throws RefusedCall for any error status */
export async function callForBody(path: string, options: CallOptions): Promise<Response> {
  const response = await send(path, options)
  if (!response.ok) throw refusalIn(response, await response.json().catch(() => undefined))
  return response
}

interface LineOptions extends CallOptions {
  /** The field that only the last line of a complete answer has; exports have none. */
  readonly last?: string
}

/** Yields the lines of an answer. @throws RefusedCall also for an error in the midst of it */
export async function* callLines<Line extends object>(
  path: string,
  { last, ...sent }: LineOptions,
): AsyncGenerator<Awaited<Line>, void> {
  const response = await callForBody(path, sent)
  try {
    yield* readLines<Line>({ data: response.body, response }, last)
  } catch (error) {
    throw error instanceof SemblanceError ? new RefusedCall(error.status, error.detail) : error
  }
}

function refusalIn({ status }: Response, data: unknown): RefusedCall {
  const hasDetail = typeof data === 'object' && data !== null && 'detail' in data
  const detail = hasDetail ? `${data.detail}` : `The server has answered ${status}.`
  return new RefusedCall(status, detail)
}

function send(path: string, options: CallOptions): Promise<Response> {
  const misread = misreadSegment(path)
  if (misread !== undefined) {
    const detail = `'${misread}' is not a handle: handles are letters, digits, _ and -.`
    throw new RefusedCall(400, detail)
  }
  const { method, body, lines, key = storedKey(), signal } = options
  const headers = new Headers()
  if (key !== undefined && key !== '') headers.set('Authorization', `Bearer ${key}`)
  if (lines !== undefined) headers.set('Content-Type', 'application/x-ndjson')
  else if (body !== undefined) headers.set('Content-Type', 'application/json')
  const answer = fetch(frame.base + path, {
    headers,
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    method: method ?? (body === undefined && lines === undefined ? 'GET' : 'POST'),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(lines !== undefined && { body: lines }),
    ...(signal !== undefined && { signal }),
  })
  return reached(answer, signal)
}

async function reached<Answer>(answer: Promise<Answer>, signal: AbortSignal | undefined) {
  try {
    return await answer
  } catch (error) {
    if (signal?.aborted) throw error
    throw new RefusedCall(0, 'The server does not answer. Is it still running?')
  }
}
