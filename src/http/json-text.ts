import type { Context, TypedResponse } from 'hono'
import type { JsonText } from '../json-text.ts'

type Answer<Shape> = Response & TypedResponse<Shape, 200, 'json'>

/** As `c.json`, of what is JSON text already. */
export function jsonText<Shape>(c: Context, json: JsonText<Shape>): Answer<Shape>
export function jsonText(c: Context, { text }: JsonText<unknown>): Response {
  return c.body(text, 200, { 'Content-Type': 'application/json' })
}
