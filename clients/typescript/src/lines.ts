import { errorOf, noAnswer, SemblanceError } from './error.ts'

/** A streamed answer, as `parseAs: 'stream'` returns it. */
export interface Streamed {
  readonly data: ReadableStream<Uint8Array> | null
  readonly response: Response
}

/**
 * Yields the values of a streamed answer (application/x-ndjson) as they arrive.
 * @param last a field that only the last line of a complete answer has: `done` for uploads and
 * neighbours, `message` for imports; exports have none
 * @throws SemblanceError for an error in the last line, and for an answer that breaks off
 */
export async function* readLines<Line extends object = Record<string, unknown>>(
  { data, response }: Streamed,
  last?: string,
): AsyncGenerator<Awaited<Line>, void> {
  let isWhole = last === undefined
  for await (const text of textLines(data, response.url)) {
    const line = lineOf<Awaited<Line>>(text)
    const requestId = response.headers.get('X-Request-Id') ?? undefined
    if ('error' in line) throw errorOf(line.error, { requestId })
    if (last !== undefined && last in line) isWhole = true
    yield line
  }
  if (!isWhole) throw brokenOff()
}

const brokenOff = () =>
  new SemblanceError({ status: 0, title: 'No answer', detail: 'the answer has broken off' })

function lineOf<Line extends object>(text: string): Line {
  try {
    const line: Line = JSON.parse(text)
    if (typeof line === 'object' && line !== null) return line
  } catch {
    // Handled below, like a value that is not an object.
  }
  throw brokenOff()
}

/** Without `for await`, which Safari does not support for streams. */
async function* textLines(
  data: ReadableStream<Uint8Array> | null,
  url: string,
): AsyncGenerator<string, void> {
  if (data === null) return
  const reader = data.getReader()
  const decoder = new TextDecoder()
  let isRead = false
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw noAnswer(url, cause)
      })
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines.filter((line) => line !== '')
      if (!done) continue
      isRead = true
      if (rest !== '') yield rest
      return
    }
  } finally {
    // A consumer that stops early does not want the rest.
    if (!isRead) await reader.cancel().catch(() => undefined)
  }
}
