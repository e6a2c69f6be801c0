import { forbiddenOperation, unauthorized } from '../errors.ts'
import { problemMediaType, problemOf } from './problem.ts'

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

const requestId = { 'X-Request-Id': header('RequestId') }

/** What several operations answer with; these are components of the document. */
export const answerComponents = {
  headers: {
    RequestId: {
      description:
        "Identifies the request in the log: the client's X-Request-Id if it is usable, otherwise a new one.",
      schema: { type: 'string' },
      example: '3f0c7a4e-5d0b-4a51-9f0e-0c7b6a1f2d11',
    },
    RetryAfter: {
      description: 'Seconds after which a retry may succeed.',
      schema: { type: 'integer', minimum: 0 },
      example: 1,
    },
    Location: {
      description: 'The path of the new resource.',
      schema: { type: 'string' },
      example: '/v1/projects/alice/verses',
    },
  },
  responses: {
    Error: {
      ...problem(
        401,
        `Any other error:

- 400: the request is invalid
- 401: the key is missing or unknown
- 408: the body arrived too slowly
- 413: it is larger than the limit
- 429: the rate limit is exceeded
- 500: an unexpected failure
- 503: the database, a place in a queue or memory for the body is not available at the moment`,
        unauthorized().message,
      ),
      headers: { ...requestId, 'Retry-After': header('RetryAfter') },
    },
  },
} as const

export function header(name: 'RequestId' | 'RetryAfter' | 'Location') {
  return { $ref: `#/components/headers/${name}` }
}

interface Answer {
  readonly description: string
  readonly headers?: object
}

/** Adds to an operation's answers the errors that it can have, and to all of them their headers. */
export function declareAnswers<Answers extends object>(answers: Answers, errors: Errors): Answers {
  const declared: { [status: string]: Answer } = { ...answers, ...problemsOf(errors) }
  const withHeaders = Object.entries(declared).map(([status, answer]) => [
    status,
    { ...answer, headers: { ...requestId, ...answer.headers } },
  ])
  // The type stays that of the given answers: handlers throw errors and never return them.
  return Object.fromEntries([...withHeaders, ['default', { $ref: '#/components/responses/Error' }]])
}

const problemsOf = ({ 400: invalid, 403: forbidden, ...others }: Errors) => ({
  ...(invalid && { 400: problem(400, 'The request is invalid', invalid) }),
  ...(forbidden && { 403: problem(403, forbidden, forbiddenOperation().message) }),
  ...Object.fromEntries(
    Object.entries(others).map(([status, [reason, message]]) => [
      status,
      problem(Number(status), reason, message),
    ]),
  ),
})

function problem(status: number, description: string, detail: string) {
  const schema = { $ref: '#/components/schemas/Problem' }
  return {
    description,
    content: { [problemMediaType]: { schema, example: problemOf(status, detail) } },
  }
}
