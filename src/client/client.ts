import openapiFetch, { type FetchOptions, type FetchResponse } from 'openapi-fetch'
import type { components, paths } from './api.ts'
import { errorOfAnswer, noAnswer, SemblanceError } from './error.ts'
import { readLines, type Streamed } from './lines.ts'
import { isPassing, withRetries } from './retry.ts'

export { isPassing, readLines, SemblanceError, type Streamed, withRetries }

/** The shapes of the API by name: `Schemas['Project']`. */
export type Schemas = components['schemas']

export interface ClientOptions {
  /** Of the server, such as http://localhost:8880, or below a path of a proxy. */
  readonly url: string
  /** Without one, what is public can be read. */
  readonly key?: string | undefined
  /** In place of the global one. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** How often a request is sent again at most; 4 when it is not given. */
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

/** What is no success is thrown, so that there always are data. */
type Answer<Operation extends Record<string | number, unknown>, As extends ParseAs> = Pick<
  Extract<FetchResponse<Operation, { parseAs: As }, `${string}/${string}`>, { data: unknown }>,
  'data' | 'response'
>
type Call<M extends Method> = <Path extends PathsWith<M>, As extends ParseAs = 'json'>(
  path: Path,
  ...options: Init<Operation<M, Path>, As>
) => Promise<Answer<Operation<M, Path>, As>>

/**
 * Calls the service. What is no success is thrown as a SemblanceError. Sent again after a connection that was
 * lost, or an answer 429, 502, 503 or 504, is what may arrive twice: GET, PUT, DELETE (which may then find
 * nothing to delete), searches, neighbours, what is missing, and uploads with on_conflict skip or replace.
 */
export interface SemblanceClient {
  readonly GET: Call<'get'>
  readonly PUT: Call<'put'>
  readonly POST: Call<'post'>
  readonly DELETE: Call<'delete'>
  readonly PATCH: Call<'patch'>
  /** For bodies that are streams: once, with the key. @param path with its query, percent-encoded */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
}

const thisMachine = /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/
/** For Bun, which else asks a proxy in the environment also for what is on this machine, and shows it the key. */
const withoutProxy: RequestInit & { readonly proxy: false } = { proxy: false }

const fetched = (request: Request) =>
  fetch(request, thisMachine.test(new URL(request.url).hostname) ? withoutProxy : undefined)

/** @throws TypeError for a URL that is none */
export function createClient(options: ClientOptions): SemblanceClient
// What of openapi-fetch's client is given on has the types above: only answers with data come back.
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
        // Of none, openapi-fetch gives no data: an empty file is one.
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

/** What fetch() throws, before an answer or within it, is a connection that was lost, unless it was ended here. */
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

/** @throws SemblanceError for `.` and `..`, which mean something else in a URL however they are encoded */
function fillPath(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = String(values[name])
    if (value !== '.' && value !== '..' && value !== '') return encodeURIComponent(value)
    const detail = `${name} '${value}' cannot stand in a path; give it as the query parameter text_id`
    throw new SemblanceError({ status: 400, title: 'Bad Request', detail })
  })
}
