import type { Context } from 'hono'
import type { AppEnv } from '../http/env.ts'

/** A request to the service itself, as Hono's `fetch` takes it. */
export type Dispatch = (request: Request, env: AppEnv['Bindings']) => Response | Promise<Response>

/** The answer of an operation: its JSON and what the service notes, or why it was refused and what to do about that. */
export type Asked =
  | { readonly body: unknown; readonly note: string | undefined }
  | { readonly refused: string; readonly status: number }

/** Calls an operation: GET, or POST with a body. */
export type Ask = (path: string, body?: object) => Promise<Asked>

/** What says for whom an operation is called, and from where. */
const passedOn = [
  ...['authorization', 'traceparent'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'],
]

/** By one request, which may have several calls in one body. */
export const maxAsked = 20

/** An answer is in memory as a whole, also where nobody has a key. */
const maxBytes = 4 * 1024 * 1024

const nextSteps: Readonly<Record<number, string>> = {
  400: 'Correct the arguments, and call the tool again.',
  401: 'Tell the user: this needs an API key of the server, in the settings of this client, as the header "Authorization: Bearer KEY". Public projects need none, but a key that is wrong is refused.',
  403: 'Tell the user: the owner of the project has to share it, or to allow this.',
  404: 'The tool projects lists what can be read, and the tool search the text_ids.',
  422: 'Ask for less, or in another way.',
}

/** Calls operations on behalf of the client of a request, with its key, so that they decide its rights and limits. */
export function askFor(c: Context<AppEnv>, dispatch: Dispatch): Ask {
  const headers = new Headers({
    'Content-Type': 'application/json',
    'X-Request-Id': c.get('requestId'),
  })
  for (const name of passedOn) {
    const value = c.req.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  const { peer } = c.env ?? {}
  let asked = 0
  return async (path, body) => {
    asked += 1
    if (asked > maxAsked)
      return { refused: `One request may ask ${maxAsked} questions. Ask again.`, status: 429 }
    const request = new Request(new URL(path, c.req.url), {
      headers,
      signal: c.req.raw.signal,
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    const answer = await dispatch(request, peer === undefined ? {} : { peer })
    const given: { readonly detail?: string } | undefined = await jsonOf(answer)
    if (given === undefined)
      return { refused: 'The answer is too long. Ask for fewer texts.', status: 422 }
    if (answer.ok) return { body: given, note: answer.headers.get('x-search-note') ?? undefined }
    const wait = answer.headers.get('retry-after')
    const later = `Try again${wait === null ? ' later' : ` in ${wait} s`}.`
    const next = nextSteps[answer.status] ?? later
    return { refused: `${answer.status}: ${given.detail ?? ''}. ${next}`, status: answer.status }
  }
}

/** @returns undefined for one that is too long */
async function jsonOf(answer: Response): Promise<object | undefined> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body ?? []) {
    bytes += part.length
    if (bytes > maxBytes) return undefined
    parts.push(part)
  }
  return Object(JSON.parse(Buffer.concat(parts).toString()))
}
