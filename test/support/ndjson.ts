import { type TestApp, testApp } from './app.ts'
import { valuesOf } from './exports.ts'
import type { Project, User } from './factories.ts'

export const ndjsonType = 'application/x-ndjson'

/** Lines of JSON; a string is a line as it is. */
export const ndjson = (...values: (object | string)[]) =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('')

export interface Sending {
  readonly query?: string
  readonly by?: User
  readonly headers?: Record<string, string>
  readonly app?: TestApp['app']
  readonly signal?: AbortSignal
}

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** Sends a body of lines; the answer is still to be read. */
export async function postLines(project: Project, body: Body, sending: Sending = {}) {
  const { query = '', by = project.owner, headers, app, signal } = sending
  const init = {
    method: 'POST',
    headers: { Authorization: `Bearer ${by.key}`, 'Content-Type': ndjsonType, ...headers },
    body,
    duplex: 'half' as const,
    signal: signal ?? null,
  }
  const path = `${project.path('embeddings')}?${query}`
  return (app ?? (await testApp()).app).request(path, init)
}

/** The lines of the answer; where it has a status of its own, the problem. */
export async function sendLines(project: Project, body: Body, sending: Sending = {}) {
  const answer = await postLines(project, body, sending)
  const text = await answer.text()
  const { status } = answer
  if (status !== 200) return { status, lines: [], last: undefined, problem: JSON.parse(text) }
  const lines = valuesOf(text)
  return { status, lines, last: lines.at(-1), problem: lines.at(-1).error }
}

/** What a progress line says. */
export const counted = (lines: number, stored: number, others: object = {}) => ({
  lines,
  stored,
  replaced: 0,
  skipped: 0,
  unchanged: 0,
  ...others,
})

/** A body that is sent as it is told to. */
export function slowBody() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
  })
  return {
    body,
    send: (text: string) => controller?.enqueue(new TextEncoder().encode(text)),
    end: () => controller?.close(),
    breakOff: () => controller?.error(new Error('the client has gone')),
  }
}
