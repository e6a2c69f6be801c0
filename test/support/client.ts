import type { TestApp } from './app.ts'
import { contractOf } from './openapi/contract.ts'

export interface Call {
  /** An API key; undefined sends no Authorization. */
  readonly key?: string | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array | ReadableStream<Uint8Array>
  readonly headers?: Record<string, string>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

/** Makes what calls an app, and holds request and answer against its OpenAPI document. */
export function createClient({ app, document }: Pick<TestApp, 'app' | 'document'>) {
  const contract = contractOf(document)
  return async (method: string, path: string, options: Call = {}): Promise<Answer> => {
    const url = new URL(path, 'http://localhost:8880')
    const { key, body, raw, headers } = options
    const response = await app.request(url.href, {
      method,
      headers: { ...(key !== undefined && { Authorization: `Bearer ${key}` }), ...headers },
      ...(raw !== undefined && { body: raw, duplex: 'half' }),
      ...(raw === undefined && body !== undefined && { body: JSON.stringify(body) }),
    })
    const contentType = response.headers.get('content-type') ?? ''
    // Not what is a line of JSON for each of several things.
    const isJson = /[/+]json\b/.test(contentType) && method !== 'HEAD'
    const answer = isJson ? await response.json() : await response.text()
    if (isJson) {
      const { status } = response
      contract.check({ method, url, body, status, contentType, answer })
    }
    return { status: response.status, headers: response.headers, body: answer }
  }
}

let client: ReturnType<typeof createClient> | undefined

let loading: Promise<typeof import('./app.ts')> | undefined

/** Only when it is asked for: to load it takes seconds, and tests of processes need none. */
function app() {
  loading ??= import('./app.ts')
  return loading
}

/** Calls the app that all test files of a worker share. */
export async function call(method: string, path: string, options: Call = {}): Promise<Answer> {
  client ??= createClient(await (await app()).testApp())
  return client(method, path, options)
}

/** The same, as the administrator. */
export const asAdmin = async (method: string, path: string, options: Call = {}) =>
  call(method, path, { key: (await app()).adminKey, ...options })
