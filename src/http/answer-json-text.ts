import type { Context } from 'hono'
import type { JsonText } from '../json/json-text.ts'
import { type JsonAnswer, jsonAnswer } from './json-answer.ts'
import { streamOf } from './stream-answer.ts'

/**
 * Answers JSON text. What comes in parts is read as the client takes it. When that fails the answer breaks
 * off, so that nobody can take it for a whole one, and `failedLate` is told unless the client has hung up.
 */
export function jsonText<Shape>(
  c: Context,
  { text, rest }: JsonText<Shape>,
  failedLate: (error: unknown) => void = () => {},
): JsonAnswer<Shape> {
  return jsonAnswer(c, rest === undefined ? text : streamOf(c, rest, failedLate, text))
}
