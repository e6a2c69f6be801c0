interface Refusal {
  /** Of the answer; 0 where none came. */
  readonly status: number
  readonly title: string
  readonly detail: string
  /** By which the server's log names the request. */
  readonly requestId?: string | undefined
  /** When to try again, in seconds, where the server says it. */
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** What the server has refused, or a connection that was lost. Its message is for people. */
export class SemblanceError extends Error {
  override readonly name = 'SemblanceError'
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined

  constructor({ status, title, detail, requestId, retryAfter, cause }: Refusal) {
    const known = [status === 0 ? '' : `${status}`, title].filter(Boolean).join(' ')
    super(`${known}: ${detail}${requestId === undefined ? '' : ` (request ${requestId})`}`, {
      cause,
    })
    this.status = status
    this.title = title
    this.detail = detail
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

const maxShown = 300

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** @param problem as an error answer, or the last line of an answer in lines, has it */
export function errorOf(problem: unknown, more: Partial<Refusal> = {}): SemblanceError {
  const { title, status, detail } = isObject(problem) ? problem : {}
  return new SemblanceError({
    status: typeof status === 'number' ? status : 0,
    title: typeof title === 'string' ? title : 'Error',
    detail: typeof detail === 'string' ? detail : 'the server gives no reason',
    ...more,
  })
}

/** Of an answer that is no success; a proxy's may be anything. */
export async function errorOfAnswer(response: Response): Promise<SemblanceError> {
  const { status, statusText, headers } = response
  const text = await response.text().catch(() => '')
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN)
  const more = {
    status,
    requestId: headers.get('X-Request-Id') ?? undefined,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  }
  try {
    return errorOf(JSON.parse(text), more)
  } catch {
    const line = text.slice(0, maxShown).replaceAll(/[\s\p{Cc}]+/gu, ' ')
    const detail = line.trim() || 'the answer is empty'
    return errorOf({ title: statusText || 'Error', detail }, more)
  }
}

/** @param url without what may be secret in it */
export function noAnswer(url: string, cause: unknown): SemblanceError {
  const { origin } = new URL(url)
  return new SemblanceError({
    status: 0,
    title: 'No answer',
    detail: `the connection to ${origin} failed (${reasonOf(cause)})`,
    cause,
  })
}

/** Node says in the cause what fetch() does not. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
