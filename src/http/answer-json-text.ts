import { AsyncResource } from 'node:async_hooks'
import type { Context } from 'hono'
import type { JsonText } from '../json/json-text.ts'
import { type JsonAnswer, jsonAnswer } from './json-answer.ts'
import { clientGone } from './requester.ts'

/**
 * Answers JSON text. What comes in parts is read as the client takes it. When that fails the answer breaks
 * off, so that nobody can take it for a whole one, and `failedLate` is told unless the client has hung up.
 */
export function jsonText<Shape>(
  c: Context,
  { text, rest }: JsonText<Shape>,
  failedLate: (error: unknown) => void = () => {},
): JsonAnswer<Shape> {
  const failed = (error: unknown) => {
    if (!clientGone(c.req).aborted) failedLate(error)
  }
  return jsonAnswer(c, rest === undefined ? text : inParts(text, rest, failed))
}

function inParts(
  text: string,
  rest: AsyncGenerator<string>,
  failedLate: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next: string | undefined = text
  // Whoever pulls does so outside of the request, on whose behalf the parts are read.
  const nextPart = AsyncResource.bind(() => nextOf(rest, failedLate))
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const part = next ?? (await nextPart()).value
        next = undefined
        if (part === undefined) controller.close()
        else controller.enqueue(encoder.encode(part))
      },
      async cancel() {
        await rest.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

function nextOf(rest: AsyncGenerator<string>, failedLate: (error: unknown) => void) {
  return rest.next().catch((error) => {
    failedLate(error)
    throw error
  })
}
