import openapiFetch, { type FetchOptions, type FetchResponse } from 'openapi-fetch'
import type { components, paths } from './api.ts'
import { fetched } from './direct.ts'
import { errorOfAnswer, noAnswer, SemblanceError } from './error.ts'
import { readLines, type Streamed } from './lines.ts'
import { isPassing, withRetries } from './retry.ts'

export { isPassing, readLines, SemblanceError, type Streamed, withRetries }

/** The API's schemas by name: `Schemas['Project']`. */
export type Schemas = components['schemas']

export interface ClientOptions {
  /** The server's URL, such as http://localhost:8880, which may include a proxy's path. */
  readonly url: string
  /** Without a key, only public data can be read. */
  readonly key?: string | undefined
  /** Replaces the global fetch. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** The maximum number of retries per request; 4 by default. */
  readonly retries?: number | undefined
}

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch'
/** The paths that have the method. */
type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, { responses: object }> ? Path : never
}[keyof paths]
type Operation<M extends Method, Path extends PathsWith<M>> =
  paths[Path] extends Record<M, infer Found extends Record<string | number, unknown>>
    ? Found
    : never

type ParseAs = NonNullable<FetchOptions<unknown>['parseAs']>
type Options<Operation, As extends ParseAs> = FetchOptions<Operation> & { parseAs?: As }
type Init<Operation, As extends ParseAs> =
  Record<never, never> extends FetchOptions<Operation>
    ? [options?: Options<Operation, As>]
    : [options: Options<Operation, As>]

/** Always has data, because errors are thrown. */
type Answer<Operation extends Record<string | number, unknown>, As extends ParseAs> = Pick<
  Extract<FetchResponse<Operation, { parseAs: As }, `${string}/${string}`>, { data: unknown }>,
  'data' | 'response'
>
type Call<M extends Method> = <Path extends PathsWith<M>, As extends ParseAs = 'json'>(
  path: Path,
  ...options: Init<Operation<M, Path>, As>
) => Promise<Answer<Operation<M, Path>, As>>

/**
 * Calls the service. Errors are thrown as SemblanceError. After a lost connection, or status 429,
 * 502, 503 or 504, the client repeats requests that are safe to repeat: GET, PUT, DELETE (which may
 * then find nothing to delete), searches, neighbours, the check for missing texts, and uploads with
 * on_conflict skip or replace.
 */
export interface SemblanceClient {
  readonly GET: Call<'get'>
  readonly PUT: Call<'put'>
  readonly POST: Call<'post'>
  readonly DELETE: Call<'delete'>
  readonly PATCH: Call<'patch'>
  /**
   * For streamed bodies: sends the request once, with the key. @param path with its query,
   * percent-encoded
   */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
}

/** @throws TypeError if the URL is invalid */
export function createClient(options: ClientOptions): SemblanceClient
// The overload above has the exact types. They hold because only answers with data are returned.
export function createClient({ url, key, fetch: given, retries = 4 }: ClientOptions): object {
  const base = new URL(url).href.replace(/\/$/, '')
  const send = async (request: Request) => {
    const response = await (given ?? fetched)(request)
    if (!response.ok) throw await errorOfAnswer(response)
    return response
  }
  const client = openapiFetch<LoosePaths>({
    baseUrl: base,
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    fetch: send,
    bodySerializer: (body) => (typeof body === 'string' ? body : JSON.stringify(body)),
    pathSerializer: fillPath,
  })
  const call =
    (method: Method) =>
    (path: string, init: LooseInit = {}) => {
      const request = async () => {
        const answer = await client.request(method, path, { ...init })
        if (answer.data !== undefined) return answer
        const { parseAs = 'json' } = init
        if (parseAs === 'json') throw new SyntaxError('the answer is empty')
        // openapi-fetch returns no data for an empty body, but an empty file is a valid answer.
        const { response } = answer
        return { data: parseAs === 'stream' ? response.body : await response[parseAs](), response }
      }
      const maxRetries = mayArriveTwice(method, path, init) ? retries : 0
      return withRetries(maxRetries, () => told(base, init.signal, request), init.signal)
    }
  return {
    GET: call('get'),
    PUT: call('put'),
    POST: call('post'),
    DELETE: call('delete'),
    PATCH: call('patch'),
    fetch: (path: string, init: RequestInit = {}) => {
      const all = new Headers(init.headers)
      if (key !== undefined) all.set('Authorization', `Bearer ${key}`)
      return told(base, init.signal, () =>
        send(new Request(base + path, { ...init, headers: all })),
      )
    },
  } satisfies Record<keyof SemblanceClient, unknown>
}

type LoosePaths = Record<string, Record<Method, { responses: object }>>
interface LooseInit {
  readonly parseAs?: ParseAs
  readonly params?: { readonly query?: Readonly<Record<string, unknown>> }
  readonly signal?: AbortSignal
}

/**
 * Treats any error that fetch() throws, before or within an answer, as a lost connection, unless
 * the caller aborted.
 */
async function told<T>(
  url: string,
  signal: AbortSignal | null | undefined,
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof SemblanceError || signal?.aborted === true) throw error
    if (error instanceof SyntaxError) {
      const detail = `${new URL(url).origin} answers no JSON; is it the server?`
      throw new SemblanceError({ status: 502, title: 'Bad Gateway', detail, cause: error })
    }
    throw noAnswer(url, error)
  }
}

const readingPosts: ReadonlySet<string> = new Set<keyof paths>([
  '/v1/similars',
  '/v1/similars/{user}/{project}',
  '/v1/similars/{user}/{project}/batch',
  '/v1/similars/{user}/{project}/neighbours',
  '/v1/embeddings/{user}/{project}/missing',
])
const uploads: keyof paths = '/v1/embeddings/{user}/{project}'

function mayArriveTwice(method: Method, path: string, { params }: LooseInit): boolean {
  if (method !== 'post') return method !== 'patch'
  const rule = params?.query?.['on_conflict']
  return readingPosts.has(path) || (path === uploads && (rule === 'skip' || rule === 'replace'))
}

/**
 * @throws SemblanceError for `.` and `..`, which change the path of a URL even if they are encoded
 */
function fillPath(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = String(values[name])
    if (value !== '.' && value !== '..' && value !== '') return encodeURIComponent(value)
    const detail = `${name} '${value}' cannot stand in a path; give it as the query parameter text_id`
    throw new SemblanceError({ status: 400, title: 'Bad Request', detail })
  })
}
