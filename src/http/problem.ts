import { STATUS_CODES } from 'node:http'
import type { Context, ErrorHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { explainDatabaseError } from '../db/errors.ts'
import { type ErrorKind, ServiceError } from '../errors.ts'
import { invalid, type Refusal } from '../invalid.ts'
import type { Log } from '../log.ts'
import type { AppEnv } from './env.ts'

export const problemMediaType = 'application/problem+json'

const statuses: Record<ErrorKind, ContentfulStatusCode> = {
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  conflict: 409,
  'timed-out': 408,
  'too-large': 413,
  'too-many-requests': 429,
  unprocessable: 422,
  unavailable: 503,
  'bad-gateway': 502,
  'gateway-timeout': 504,
  // Nobody reads this answer.
  cancelled: 408,
}

/** The body of every error answer, as JSON text. */
export const problemBody = (status: number, detail: string) =>
  JSON.stringify(problemOf(status, detail))

export const problemOf = (status: number, detail: string) => ({
  title: STATUS_CODES[status] ?? 'Error',
  status,
  detail,
})

/** The body of an error's answer. */
export const problemFor = ({ kind, message }: ServiceError) => problemOf(statuses[kind], message)

/** All that clients learn about an unexpected failure. */
export const unexpected = 'Unexpected failure; it was logged'

function problem(c: Context<AppEnv>, status: ContentfulStatusCode, detail: string): Response {
  c.set('detail', detail)
  return c.body(problemBody(status, detail), status, { 'Content-Type': problemMediaType })
}

/**
 * The problem that is sent as the last line if an error occurs after the answer has begun.
 * @returns the same problem that an error answer would have
 */
export function problemOfError(error: unknown) {
  const known = error instanceof ServiceError ? error : explainDatabaseError(error)
  return known === undefined ? problemOf(500, unexpected) : problemFor(known)
}

/** Failures that no client caused, so the operator should know of them. */
const isTrouble = ({ kind }: ServiceError) =>
  kind === 'unavailable' || kind === 'bad-gateway' || kind === 'gateway-timeout'

/** Renders every error of the service: the one place where an error becomes an answer. */
export const renderErrors =
  (log: Log): ErrorHandler<AppEnv> =>
  (error, c) => {
    const known = error instanceof ServiceError ? error : explainDatabaseError(error)
    if (known !== undefined) {
      if (isTrouble(known)) {
        log.warn(known.message, { id: c.var.requestId, cause: known.cause })
      }
      if (known.retryAfter !== undefined) c.header('Retry-After', `${known.retryAfter}`)
      // The rest of this request's body must not be taken for another request.
      if (known.kind === 'timed-out') c.header('Connection', 'close')
      if (known.logged !== undefined) c.set('logged', known.logged)
      if (known.kind === 'unauthorized') c.header('WWW-Authenticate', 'Bearer')
      return problem(c, statuses[known.kind], known.message)
    }
    if (error instanceof HTTPException && error.status < 500) {
      return problem(c, 400, error.message || 'Malformed request')
    }
    log.error('a request failed', { id: c.var.requestId, cause: error })
    return problem(c, 500, unexpected)
  }

type Validation =
  | { readonly success: true }
  | { readonly success: false; readonly target: string; readonly error: Refusal }

/** Turns failed validation into a 400 that names the first few mistakes. */
export function refuseInvalid(result: Validation): void {
  if (!result.success) throw invalid(result.error, result.target)
}
