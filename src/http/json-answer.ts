import type { Context, TypedResponse } from 'hono'
import type { JsonText } from '../json/json-text.ts'
import { streamOf } from './stream-answer.ts'

const longText = 64 * 1024
const encoder = new TextEncoder()
/** Below the minute after which most proxies give a silent server up. */
const defaultBeatMs = 5_000

type JsonAnswer<Shape> = Response & TypedResponse<Shape, 200, 'json'>

/**
 * Answers JSON text. What comes in parts is read as the client takes it. When that fails the answer breaks
 * off, so that nobody can take it for a whole one, and `failedLate` is told unless the client has hung up.
 * The cast: hono derives the type of an answer from a value, and here is only its text.
 */
export function jsonText<Shape>(
  c: Context,
  { text, rest }: JsonText<Shape>,
  failedLate: (error: unknown) => void = () => {},
): JsonAnswer<Shape> {
  const body = rest === undefined ? encoded(text) : streamOf(c, rest, failedLate, text)
  return c.body(body, 200, {
    'Content-Type': 'application/json',
  }) as Response as JsonAnswer<Shape>
}

/** Node copies a long string several times, and reserves three times its length, where bytes are sent as they are. */
const encoded = (text: string) => (text.length >= longText ? encoder.encode(text) : text)

/**
 * As `c.json`, of a value that may take minutes. After a few seconds the status 200 is sent, then
 * white space, which JSON may begin with, until the value is there. What fails later than that
 * breaks the answer off, so that nobody can take it for a whole one; `failedLate` is told.
 */
export async function slowJson<Shape>(
  c: Context,
  value: Promise<Shape>,
  failedLate: (error: unknown) => void,
  beatMs = defaultBeatMs,
): Promise<JsonAnswer<Shape>> {
  if (await isThereWithin(beatMs, value)) return jsonText(c, { text: JSON.stringify(await value) })
  value.catch(failedLate)
  c.set('streamsSlowly', true)
  return jsonText(c, { text: ' ', rest: behindBeats(value, beatMs) })
}

async function* behindBeats(value: Promise<unknown>, beatMs: number): AsyncGenerator<string> {
  while (!(await isThereWithin(beatMs, value))) yield ' '
  yield JSON.stringify(await value)
}

/** @throws what `value` fails with */
async function isThereWithin(ms: number, value: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const isThere = await Promise.race([value.then(() => true), late])
  clearTimeout(timer)
  return isThere
}
