import type { Context, TypedResponse } from 'hono'

const longText = 64 * 1024
const encoder = new TextEncoder()

export type JsonAnswer<Shape> = Response & TypedResponse<Shape, 200, 'json'>

/**
 * As `c.json`, of what is JSON text already. The cast: hono derives the type of an answer from a value,
 * and here is only its text.
 */
export const jsonAnswer = <Shape>(c: Context, body: string | ReadableStream<Uint8Array>) =>
  c.body(encoded(body), 200, {
    'Content-Type': 'application/json',
  }) as Response as JsonAnswer<Shape>

/** Node copies a long string several times, and reserves three times its length, where bytes are sent as they are. */
const encoded = (body: string | ReadableStream<Uint8Array>) =>
  typeof body === 'string' && body.length >= longText ? encoder.encode(body) : body
