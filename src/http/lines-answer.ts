import type { Context } from 'hono'
import { FailedMidway } from '../errors.ts'
import { linesType } from '../json/lines-type.ts'
import { problemOfError } from './problem.ts'
import { logBrokenOff, streamedAnyhow } from './stream-answer.ts'

/**
 * Answers with lines of JSON as the values arrive: one line for each object, or for each item of an
 * array. An error before the first line is answered like any other. A later error becomes the last
 * line, and is logged if it is not the client's. Streams that only read must be wrapped in
 * `whileGranted`.
 * @param what names the answer in the log
 */
export async function linesAnswer(c: Context, values: AsyncGenerator<object>, what: string) {
  const headers = { 'Content-Type': linesType }
  const answer = await streamedAnyhow(c, linesOf(c, values, what), headers, what)
  c.set('streamsSlowly', true)
  return answer
}

async function* linesOf(
  c: Context,
  values: AsyncGenerator<object>,
  what: string,
): AsyncGenerator<string, void> {
  let hasBegun = false
  try {
    for await (const value of values) {
      hasBegun = true
      yield Array.isArray(value) ? value.map(lineOf).join('') : lineOf(value)
    }
  } catch (error) {
    if (!hasBegun) throw error
    const { cause, said } = error instanceof FailedMidway ? error : { cause: error, said: {} }
    const problem = problemOfError(cause)
    if (problem.status >= 500) logBrokenOff(c, what, cause)
    yield lineOf({ error: problem, ...said })
  }
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`
