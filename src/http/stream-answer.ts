import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'hono'
import { ServiceError } from '../errors.ts'
import type { OperationServices } from './env.ts'
import { clientGone } from './requester.ts'

type Part = string | Uint8Array<ArrayBuffer>

/** A stream goes on for this long before its permission is checked again. */
export const grantedForMs = 2_000

/** A stream also goes on for this long while the database is too busy to check the permission. */
const undecidedForMs = 30_000

/**
 * Yields parts as long as the caller may have them, perhaps for hours.
 * @throws 401, 403 or 404 instead of the next part if the key, the right or the thing is gone; the
 *   look-up's error if it has failed for too long
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
 * The JSON of what `work` gives. Until then, spaces before it keep the connection alive: proxies
 * usually give up after a minute of silence, and Bun after `stalledMs`.
 */
export async function* jsonAfterSpaces(work: () => Promise<object>, everyMs = 20_000) {
  const value = work()
  for (let given: object | undefined; given === undefined; ) {
    given = await Promise.race([value, sleep(everyMs, undefined, { ref: false })])
    yield given === undefined ? ' ' : JSON.stringify(given)
  }
}

/** Logs that an answer has failed after its beginning, when no status can say so any more. */
export function logBrokenOff(c: Context, what: string, cause: unknown): void {
  const { log }: OperationServices = c.get('server')
  log.warn(`${what} broken off`, { id: c.var.requestId, cause })
}

/**
 * Makes a body of parts that are read as the client takes them. If reading fails, the body breaks
 * off, so that nobody takes it for complete, and that is logged unless the client has hung up.
 * `parts` is ended then, and also when the client hangs up.
 * @param what names the body in the log
 * @param first is sent before `parts`
 */
export function streamOf(
  c: Context,
  parts: AsyncGenerator<Part>,
  what: string,
  first?: Part,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next = first
  // `pull` is called outside the request's context, but the parts are read on its behalf.
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
        pull(controller).catch((cause) => {
          if (!clientGone(c.req).aborted) logBrokenOff(c, what, cause)
          throw cause
        }),
      async cancel() {
        await giveUp()
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * Answers with parts that are read while the caller may have them. An error before the first part
 * is answered like any other. A HEAD request gets only the headers, and nothing is read.
 */
export const streamed = (
  c: Context,
  parts: AsyncGenerator<Part>,
  headers: Record<string, string>,
  what: string,
) => streamedAnyhow(c, whileGranted(c, parts), headers, what)

/** Like `streamed`, for operations that check the caller's rights themselves. */
export async function streamedAnyhow(
  c: Context,
  parts: AsyncGenerator<Part>,
  headers: Record<string, string>,
  what: string,
) {
  const first = c.req.method === 'HEAD' ? undefined : (await parts.next()).value
  return c.body(first === undefined ? '' : streamOf(c, parts, what, first), 200, headers)
}
