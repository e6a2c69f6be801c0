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

/**
 * Calls the API as any other program would, with the key of this tab.
 * @param path such as `v1/projects`
 * @returns what the OpenAPI document says of the operation
 * @throws RefusedCall for what is no success
 */
export async function call<Data>(
  path: string,
  { body, signal }: { readonly body?: unknown; readonly signal?: AbortSignal } = {},
): Promise<Answered<Data>> {
  const first = body === undefined ? takeFirst(frame.base + path) : undefined
  const { response, data } = await received(first ?? send(path, body, signal), signal)
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

function send(path: string, body: unknown, signal: AbortSignal | undefined): Promise<Response> {
  const key = storedKey()
  const headers = new Headers()
  if (key !== undefined) headers.set('Authorization', `Bearer ${key}`)
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  return fetch(frame.base + path, {
    headers,
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  })
}

const detailOf = (data: unknown): string | undefined =>
  typeof data === 'object' && data !== null && 'detail' in data && typeof data.detail === 'string'
    ? data.detail
    : undefined
