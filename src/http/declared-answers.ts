import {
  bodyRequired,
  bodyTooSlow,
  forbiddenOperation,
  nulInUrl,
  tooBusy,
  tooLarge,
  tooManyRequests,
  unauthorized,
} from '../errors.ts'
import { minBytesPerSecond } from './body/received-chunks.ts'
import { problemMediaType, problemOf, unexpected } from './problem.ts'
import { Problem } from './schemas.ts'
import { unknownParameter } from './unknown-parameters.ts'

/**
 * The errors that come from an operation's own rules. Each has a reason (except 400) and a message
 * (except 403). The messages are those that the service sends about the things in the examples;
 * tests send requests that cause them.
 */
export interface Errors {
  readonly 400?: string
  readonly 403?: string
  readonly 404?: readonly [reason: string, message: string]
  readonly 409?: readonly [reason: string, message: string]
  readonly 422?: readonly [reason: string, message: string]
  readonly 502?: readonly [reason: string, message: string]
  readonly 504?: readonly [reason: string, message: string]
}

/** How an operation is called, which implies some of its errors. */
interface Calling {
  readonly takesInput: boolean
  readonly takesKey: boolean
  readonly takesBody: boolean
  /** The largest body in bytes; undefined if the operation has no body or no limit for it. */
  readonly bodyLimit: number | undefined
  /** What to do instead of sending a larger body. */
  readonly instead: string | undefined
}

/** Headers that several operations answer with; they are components of the document. */
export const answerHeaders = {
  RequestId: {
    description:
      "Identifies the request in the log: the client's X-Request-Id if it is usable, otherwise a new one.",
    schema: { type: 'string' as const },
    example: '3f0c7a4e-5d0b-4a51-9f0e-0c7b6a1f2d11',
  },
  RetryAfter: {
    description: 'Seconds after which a retry may succeed.',
    schema: { type: 'integer' as const, minimum: 0 },
    example: 1,
  },
  Location: {
    description: 'The path of the new resource.',
    schema: { type: 'string' as const },
    example: '/v1/projects/alice/verses',
  },
}

export const header = (name: keyof typeof answerHeaders) => ({
  $ref: `#/components/headers/${name}`,
})

interface Answer {
  readonly description: string
  readonly headers?: object
}

/** Adds to an operation's answers the errors that it can have, and to all of them their headers. */
export function declareAnswers<Answers extends object>(
  answers: Answers,
  errors: Errors,
  calling: Calling,
): Answers {
  const declared: { [status: string]: Answer } = { ...problemsOf(errors, calling), ...answers }
  const withHeaders = Object.entries(declared).map(([status, answer]) => {
    const retryAfter = ['429', '503'].includes(status) && { 'Retry-After': header('RetryAfter') }
    const headers = { 'X-Request-Id': header('RequestId'), ...retryAfter, ...answer.headers }
    return [status, { ...answer, headers }]
  })
  // The type stays that of the given answers: handlers throw errors and never return them.
  return Object.fromEntries(withHeaders)
}

function problemsOf(errors: Errors, { takesInput, takesKey, takesBody, ...calling }: Calling) {
  const { bodyLimit, instead } = calling
  const ofInput = bodyLimit === undefined ? nulInUrl() : bodyRequired()
  const usual = takesInput ? ofInput : unknownParameter('verbose', [])
  return {
    400: problem(400, 'The request is invalid', errors[400] ?? usual.message),
    ...(takesKey && {
      401: problem(401, 'The key is missing or unknown', unauthorized().message),
      429: problem(429, 'The rate limit is exceeded', rateLimited),
    }),
    ...(takesBody && {
      408: problem(408, 'The body arrived too slowly', bodyTooSlow(minBytesPerSecond).message),
    }),
    ...(bodyLimit !== undefined && {
      413: problem(413, 'The body is larger than the limit', tooLarge(bodyLimit, instead).message),
    }),
    ...(errors[403] && { 403: problem(403, errors[403], forbiddenOperation().message) }),
    ...(errors[404] && { 404: problem(404, ...errors[404]) }),
    ...(errors[409] && { 409: problem(409, ...errors[409]) }),
    ...(errors[422] && { 422: problem(422, ...errors[422]) }),
    ...(errors[502] && { 502: problem(502, ...errors[502]) }),
    ...(errors[504] && { 504: problem(504, ...errors[504]) }),
    500: problem(500, 'Unexpected failure', unexpected),
    503: problem(
      503,
      'The database, a place in a queue or memory for the body is not available at the moment',
      tooBusy().message,
    ),
  }
}

const rateLimited = tooManyRequests(600, 42).message

const problem = (status: number, description: string, detail: string) => ({
  description,
  content: { [problemMediaType]: { schema: Problem, example: problemOf(status, detail) } },
})
