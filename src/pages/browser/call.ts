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

declare global {
  /** What the page has asked for before its script was there: src/pages/shell.tsx. */
  var firstAnswers: Map<string, Promise<Response>> | undefined
}

/**
 * Calls the API as any other program would, with the key of this tab.
 * @param path such as `v1/projects`
 * @throws RefusedCall for what is no success
 */
export async function call<Data>(
  path: string,
  { body, signal }: { readonly body?: unknown; readonly signal?: AbortSignal } = {},
): Promise<Answered<Data>> {
  const response = (body === undefined ? takeFirst(path) : undefined) ?? send(path, body, signal)
  const { status, ok, headers, ...answer } = await received(response, signal)
  if (ok) return { data: answer.data, headers }
  throw new RefusedCall(status, detailOf(answer.data) ?? `The server has answered ${status}.`)
}

async function received(response: Promise<Response>, signal: AbortSignal | undefined) {
  try {
    const { status, ok, headers, ...answer } = await response.then(async (found) => ({
      status: found.status,
      ok: found.ok,
      headers: found.headers,
      data: await found.json(),
    }))
    return { status, ok, headers, ...answer }
  } catch (error) {
    if (signal?.aborted) throw error
    throw new RefusedCall(0, 'The server does not answer. Is it still running?')
  }
}

/** Once: what is asked for again is to be as it is then. */
function takeFirst(path: string): Promise<Response> | undefined {
  const url = frame.base + path
  const found = globalThis.firstAnswers?.get(url)
  globalThis.firstAnswers?.delete(url)
  return found
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
