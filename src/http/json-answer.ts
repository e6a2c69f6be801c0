import type { Context, TypedResponse } from 'hono'

export type JsonAnswer<Shape> = Response & TypedResponse<Shape, 200, 'json'>

/**
 * As `c.json`, of what is JSON text already. The cast: hono derives the type of an answer from a value,
 * and here is only its text.
 */
export const jsonAnswer = <Shape>(c: Context, body: string | ReadableStream<Uint8Array>) =>
  c.body(body, 200, { 'Content-Type': 'application/json' }) as Response as JsonAnswer<Shape>
