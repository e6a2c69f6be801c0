import type { Context, TypedResponse } from 'hono'
import type { JsonText } from '../json/json-text.ts'
import { streamOf } from './stream-answer.ts'

const longText = 64 * 1024
const encoder = new TextEncoder()

type JsonAnswer<Shape> = Response & TypedResponse<Shape, 200, 'json'>

/**
 * Answers with JSON text. Further parts are read as the client takes them. If reading fails, the
 * answer breaks off, so that nobody takes it for complete, and that is logged unless the client has
 * hung up. The cast is needed because hono derives an answer's type from a value, and only its text
 * exists here.
 * @param what names the answer in the log
 */
export function jsonText<Shape>(
  c: Context,
  { text, rest }: JsonText<Shape>,
  what: string,
): JsonAnswer<Shape> {
  const body = rest === undefined ? encoded(text) : streamOf(c, rest, what, text)
  return c.body(body, 200, {
    'Content-Type': 'application/json',
  }) as Response as JsonAnswer<Shape>
}

/**
 * Node copies a long string several times and reserves three times its length. Bytes are sent as
 * they are.
 */
const encoded = (text: string) => (text.length >= longText ? encoder.encode(text) : text)
