import { type ErrorKind, ServiceError } from '../../errors.ts'

/** Of one batch: others have their turns at the connections meanwhile. */
const atOnce = 4

/**
 * Does what each of several requests asks for. One that is refused does not keep the others from being
 * answered.
 * @returns what came of each, in their order
 * @throws what is nobody's mistake, such as a database that does not answer
 */
export async function answerEach<Request, Answer>(
  requests: readonly Request[],
  answer: (request: Request) => Promise<Answer>,
): Promise<(Answer | ServiceError)[]> {
  const answers: (Answer | ServiceError)[] = []
  const waiting = requests.entries()
  let failed = false
  async function work(): Promise<void> {
    for (const [index, request] of waiting) {
      answers[index] = await answer(request).catch((error) => {
        if (isOfOneSearch(error)) return error
        failed = true
        throw error
      })
      if (failed) return
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, requests.length) }, work))
  return answers
}

/** Of one search, by its own fault or that of the provider that its words are for. */
export const isOfOneSearch = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && refusals.has(error.kind)

const refusals = new Set<ErrorKind>([
  ...(['bad-request', 'not-found', 'forbidden', 'unauthorized'] as const),
  ...(['too-many-requests', 'bad-gateway', 'gateway-timeout'] as const),
])
