import { errorOfAnswer, SemblanceError } from '../clients/typescript/src/error.ts'
import { readLines } from '../clients/typescript/src/lines.ts'
import { frame, storedKey } from './frame.ts'
import { misreadSegment } from './project/requests.ts'

/** @param status that of an answer; 0 without one */
const refused = (status: number, detail: string) =>
  new SemblanceError({ status, title: 'Refused', detail })

/** Why something did not work, as an answer of the service says it. */
export const asRefusal = (error: unknown): SemblanceError =>
  error instanceof SemblanceError
    ? error
    : refused(0, (error instanceof Error && error.message) || String(error))

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
 * @throws SemblanceError for any error status
 */
export async function call<Data>(path: string, options: CallOptions = {}): Promise<Answered<Data>> {
  const response = await callForBody(path, options)
  return { data: await reached(response.json(), options.signal), headers: response.headers }
}

/** Gets what is not JSON, or not small. @throws SemblanceError for any error status */
export async function callForBody(path: string, options: CallOptions): Promise<Response> {
  const response = await send(path, options)
  if (!response.ok) throw await errorOfAnswer(response)
  return response
}

interface LineOptions extends CallOptions {
  /** The field that only the last line of a complete answer has; exports have none. */
  readonly last?: string
}

/** Yields the lines of an answer. @throws SemblanceError also for an error in the midst of it */
export async function* callLines<Line extends object>(
  path: string,
  { last, ...sent }: LineOptions,
): AsyncGenerator<Awaited<Line>, void> {
  const response = await callForBody(path, sent)
  yield* readLines<Line>({ data: response.body, response }, last)
}

function send(path: string, options: CallOptions): Promise<Response> {
  const misread = misreadSegment(path)
  if (misread !== undefined)
    throw refused(400, `'${misread}' is not a handle: handles are letters, digits, _ and -.`)
  const { method, body, lines, key = storedKey(), signal } = options
  const sent = lines ?? (body === undefined ? undefined : JSON.stringify(body))
  const headers = new Headers()
  if (key !== undefined && key !== '') headers.set('Authorization', `Bearer ${key}`)
  if (sent !== undefined)
    headers.set('Content-Type', `application/${lines === undefined ? 'json' : 'x-ndjson'}`)
  const answer = fetch(frame.base + path, {
    headers,
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    method: method ?? (sent === undefined ? 'GET' : 'POST'),
    ...(sent !== undefined && { body: sent }),
    ...(signal !== undefined && { signal }),
  })
  return reached(answer, signal)
}

async function reached<Answer>(answer: Promise<Answer>, signal: AbortSignal | undefined) {
  try {
    return await answer
  } catch (error) {
    if (signal?.aborted) throw error
    throw refused(0, 'The server does not answer. Is it still running?')
  }
}
