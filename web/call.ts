import { SemblanceError } from '../clients/typescript/src/error.ts'
import { readLines } from '../clients/typescript/src/lines.ts'
import { frame } from './frame.ts'
import { storedKey } from './key.ts'
import { misreadSegment } from './misread-segment.ts'

/** An error answer of the service, with its own message. */
export class RefusedCall extends Error {
  readonly status: number

  constructor(status: number, detail: string) {
    super(detail)
    this.status = status
  }
}

export interface Answered<Data> {
  readonly data: Data
  readonly headers: Headers
}

interface CallOptions {
  /** Default: GET without a body, POST with one. */
  readonly method?: 'POST' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/**
 * Calls the API with the key of this tab, as any other client would.
 * @param path such as `v1/projects`
 * @returns the answer as the OpenAPI document defines it
 * @throws RefusedCall for any error status
 */
export async function call<Data>(path: string, options: CallOptions = {}): Promise<Answered<Data>> {
  const { response, data } = await received(send(path, options), options.signal)
  if (response.ok) return { data, headers: response.headers }
  throw refusalIn(response, data)
}

const refusalIn = ({ status }: Response, data: unknown) =>
  new RefusedCall(status, detailOf(data) ?? `The server has answered ${status}.`)

/**
 * Calls an operation that streams lines, and yields them as they arrive.
 * @param last the field that only the last line of a complete answer has
 * @throws RefusedCall for any error, including one after the stream has begun
 */
export async function* callLines<Line extends object>(
  path: string,
  {
    body,
    last,
    signal,
  }: { readonly body: unknown; readonly last: string; readonly signal: AbortSignal },
): AsyncGenerator<Awaited<Line>, void> {
  const response = await answered(send(path, { body, signal }), signal)
  if (!response.ok) throw refusalIn(response, await response.json().catch(() => undefined))
  try {
    yield* readLines<Line>({ data: response.body, response }, last)
  } catch (error) {
    throw error instanceof SemblanceError ? new RefusedCall(error.status, error.detail) : error
  }
}

async function received(answer: Promise<Response>, signal: AbortSignal | undefined) {
  return answered(
    answer.then(async (response) => ({ response, data: await response.json() })),
    signal,
  )
}

async function answered<Answer>(answer: Promise<Answer>, signal: AbortSignal | undefined) {
  try {
    return await answer
  } catch (error) {
    if (signal?.aborted) throw error
    throw new RefusedCall(0, 'The server does not answer. Is it still running?')
  }
}

function send(path: string, { method, body, signal }: CallOptions): Promise<Response> {
  const misread = misreadSegment(path)
  if (misread !== undefined)
    throw new RefusedCall(
      400,
      `'${misread}' is not a handle: handles are letters, digits, _ and -.`,
    )
  const key = storedKey()
  const headers = new Headers()
  if (key !== undefined) headers.set('Authorization', `Bearer ${key}`)
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  return fetch(frame.base + path, {
    headers,
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  })
}

const detailOf = (data: unknown): string | undefined =>
  typeof data === 'object' && data !== null && 'detail' in data && typeof data.detail === 'string'
    ? data.detail
    : undefined
