import type { Env, HonoRequest, MiddlewareHandler } from 'hono'
import { problemOfError } from '../http/problem.ts'
import type { Progress } from './ndjson/store-lines.ts'

export const linesType = 'application/x-ndjson'
const lineTypes = /^application\/(x-)?(ndjson|jsonl|jsonlines)\s*(;|$)/i

export const isLines = (contentType: string | undefined): boolean =>
  lineTypes.test(contentType?.trim() ?? '')

/** A middleware that concerns no batch. */
export const ofLines =
  <E extends Env>(middleware: MiddlewareHandler<E>): MiddlewareHandler<E> =>
  (c, next) =>
    isLines(c.req.header('Content-Type')) ? middleware(c, next) : next()

/** The query as it is for every other operation: what is given twice is an array. */
export const queryOf = (request: HonoRequest): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(request.queries()).map(([name, values]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  )

export const exampleLines = '{"text_id":"matthew-5-3","vector":[0.25,-0.5,0.75]}\n'
const counts = '"stored":1,"replaced":0,"skipped":0,"unchanged":0'
export const exampleProgress = `{"lines":1,${counts}}\n{"lines":1,${counts},"done":true}\n`

/** @param failed to be told of what is no fault of the client's */
export async function* progressText(
  progress: AsyncGenerator<Progress, void>,
  failed: (cause: unknown) => void,
): AsyncGenerator<string, void> {
  for await (const { cause, ...counts } of progress) {
    const error = cause === undefined ? undefined : problemOfError(cause)
    if (error !== undefined && error.status >= 500) failed(cause)
    const line = { ...(error !== undefined && { error }), ...counts }
    yield `${JSON.stringify(line)}\n`
  }
}
