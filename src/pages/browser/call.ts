import { takeFirst } from './first-answers.ts'
import { frame } from './frame.ts'
import { storedKey } from './key.ts'

/** What the service has refused, in its own words. */
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
  /** GET without a body and POST with one, unless said otherwise. */
  readonly method?: 'POST' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/**
 * Calls the API as any other program would, with the key of this tab.
 * @param path such as `v1/projects`
 * @returns what the OpenAPI document says of the operation
 * @throws RefusedCall for what is no success
 */
export async function call<Data>(path: string, options: CallOptions = {}): Promise<Answered<Data>> {
  const isRead = options.body === undefined && options.method === undefined
  const first = isRead ? takeFirst(frame.base + path) : undefined
  const { response, data } = await received(first ?? send(path, options), options.signal)
  if (response.ok) return { data, headers: response.headers }
  const detail = detailOf(data) ?? `The server has answered ${response.status}.`
  throw new RefusedCall(response.status, detail)
}

async function received(answer: Promise<Response>, signal: AbortSignal | undefined) {
  try {
    const response = await answer
    return { response, data: await response.json() }
  } catch (error) {
    if (signal?.aborted) throw error
    throw new RefusedCall(0, 'The server does not answer. Is it still running?')
  }
}

function send(path: string, { method, body, signal }: CallOptions): Promise<Response> {
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
