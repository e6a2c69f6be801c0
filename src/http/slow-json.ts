import type { Context } from 'hono'
import { type JsonAnswer, jsonAnswer } from './json-answer.ts'

/** Below the minute after which most proxies give a silent server up. */
const defaultBeatMs = 5_000

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
  if (await isThereWithin(beatMs, value)) {
    return jsonAnswer(c, JSON.stringify(await value))
  }
  const encoder = new TextEncoder()
  let begun = false
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const isThere = begun && (await isThereWithin(beatMs, value))
      begun = true
      if (!isThere) return controller.enqueue(encoder.encode(' '))
      controller.enqueue(encoder.encode(JSON.stringify(await value)))
      controller.close()
    },
  })
  value.catch(failedLate)
  c.set('streamsSlowly', true)
  return jsonAnswer(c, stream)
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
