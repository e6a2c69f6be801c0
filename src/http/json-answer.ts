import type { Context, TypedResponse } from 'hono'
import type { JsonText } from '../json/json-text.ts'
import { streamOf } from './stream-answer.ts'

const longText = 64 * 1024
const encoder = new TextEncoder()
/** Most proxies give up on a silent server after a minute. */
const defaultBeatMs = 5_000

type JsonAnswer<Shape> = Response & TypedResponse<Shape, 200, 'json'>

/**
 * Answers with JSON text. Further parts are read as the client takes them. If reading fails, the
 * answer breaks off, so that nobody takes it for complete, and `failedLate` is called unless the
 * client has hung up. The cast is needed because hono derives an answer's type from a value, and
 * only its text exists here.
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

/**
 * Node copies a long string several times and reserves three times its length. Bytes are sent as
 * they are.
 */
const encoded = (text: string) => (text.length >= longText ? encoder.encode(text) : text)

/**
 * Like `c.json`, for a value that may take minutes. After `beatMs` it sends the status 200 and then
 * white space, which JSON may begin with, until the value is ready. A failure after that breaks the
 * answer off, so that nobody takes it for complete, and calls `failedLate`.
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

/** @throws what `value` rejects with */
async function isThereWithin(ms: number, value: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const isThere = await Promise.race([value.then(() => true), late])
  clearTimeout(timer)
  return isThere
}
