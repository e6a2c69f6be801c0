import { AsyncResource } from 'node:async_hooks'
import type { Context } from 'hono'
import { ServiceError } from '../errors.ts'
import { clientGone } from './requester.ts'

type Part = string | Uint8Array<ArrayBuffer>

/** For so long a stream goes on by what was granted before. */
export const grantedForMs = 2_000

/** For so long it also goes on where the database is too busy to say whether it is still granted. */
const undecidedForMs = 30_000

/**
 * What is read for the caller, part by part, as long as the caller may have it: for hours, perhaps.
 * @throws 401, 403 or 404 in place of the next part when the key, the right or the thing is gone; what the look-up
 *   throws when it has failed for too long
 */
export async function* whileGranted<Read>(
  c: Context,
  parts: AsyncGenerator<Read>,
  [askAfterMs, endAfterMs] = [grantedForMs, undecidedForMs],
): AsyncGenerator<Read, void> {
  const grantAgain: () => Promise<unknown> = c.get('grantAgain')
  let grantedAt = performance.now()
  for await (const part of parts) {
    const since = performance.now() - grantedAt
    if (since >= askAfterMs) {
      const isGranted = await grantAgain().then(
        () => true,
        (error: unknown) => {
          if (isDenied(error) || since >= endAfterMs) throw error
          return false
        },
      )
      if (isGranted) grantedAt = performance.now()
    }
    yield part
  }
}

const isDenied = (error: unknown) =>
  error instanceof ServiceError && ['unauthorized', 'forbidden', 'not-found'].includes(error.kind)

/**
 * A body that is read part by part, as the client takes it. When that fails it breaks off, so that nobody
 * can take it for a whole one, and `failedLate` is told unless the client has hung up. Then, and when the
 * client hangs up, `parts` are returned from.
 * @param first what comes before them
 */
export function streamOf(
  c: Context,
  parts: AsyncGenerator<Part>,
  failedLate: (error: unknown) => void,
  first?: Part,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next = first
  // Whoever pulls does so outside of the request, on whose behalf the parts are read.
  const nextPart = AsyncResource.bind(() => parts.next())
  const giveUp = AsyncResource.bind(() => parts.return(undefined))
  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const part = next ?? (await nextPart()).value
    next = undefined
    if (part === undefined) controller.close()
    else controller.enqueue(typeof part === 'string' ? encoder.encode(part) : part)
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        pull(controller).catch((error) => {
          if (!clientGone(c.req).aborted) failedLate(error)
          throw error
        }),
      async cancel() {
        await giveUp()
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * Answers with what is read part by part while the caller may; what fails before the first part is an error like any
 * other. Who asks for the headers alone gets them, and nothing is read.
 */
export const streamed = (
  c: Context,
  parts: AsyncGenerator<Part>,
  headers: Record<string, string>,
  failedLate: (error: unknown) => void,
) => streamedAnyhow(c, whileGranted(c, parts), headers, failedLate)

/** The same for what looks after the rights of the caller itself, as what stores something does. */
export async function streamedAnyhow(
  c: Context,
  parts: AsyncGenerator<Part>,
  headers: Record<string, string>,
  failedLate: (error: unknown) => void = () => {},
) {
  const first = c.req.method === 'HEAD' ? undefined : (await parts.next()).value
  return c.body(first === undefined ? '' : streamOf(c, parts, failedLate, first), 200, headers)
}
