import { type ErrorKind, ServiceError } from '../../errors.ts'

/** Searches of one request that run at once. The limit leaves connections for other requests. */
const atOnce = 4

/**
 * Answers requests, a few at once and in their order, until one fails.
 * @throws its error
 */
export async function inTurns<Request, Answer>(
  requests: readonly Request[],
  answer: (request: Request) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  const waiting = requests.entries()
  let failed = false
  async function work(): Promise<void> {
    for (const [index, request] of waiting) {
      answers[index] = await answer(request).catch((error) => {
        failed = true
        throw error
      })
      if (failed) return
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, requests.length) }, work))
  return answers
}

/**
 * Answers each of several requests. A refused request does not keep the others from being answered.
 * @returns answers or errors, in the order of the requests
 * @throws errors that no request has caused, such as a database that does not respond; and 503 if
 *   none can be answered now, since then all are worth another try
 */
export async function answerEach<Request, Answer>(
  requests: readonly Request[],
  answer: (request: Request) => Promise<Answer>,
): Promise<(Answer | ServiceError)[]> {
  const answers = await inTurns<Request, Answer | ServiceError>(requests, (request) =>
    answer(request).catch((error) => {
      if (isOfOneSearch(error)) return error
      throw error
    }),
  )
  const [first] = answers
  if (first !== undefined && answers.every(isNotNow)) throw first
  return answers
}

const isNotNow = (answer: unknown) =>
  answer instanceof ServiceError && answer.kind === 'unavailable'

/**
 * Whether one search caused the error: the search itself, what is not there yet for its words, or
 * the provider that embeds them.
 */
export const isOfOneSearch = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && (refusals.has(error.kind) || error.sparesOthers)

const refusals = new Set<ErrorKind>([
  ...(['bad-request', 'not-found', 'forbidden', 'unauthorized', 'unprocessable'] as const),
  ...(['too-many-requests', 'bad-gateway', 'gateway-timeout'] as const),
])
