interface Refusal {
  /** The status of the answer; 0 without one. */
  readonly status: number
  readonly title: string
  readonly detail: string
  /** The id of the request in the server's log. */
  readonly requestId?: string | undefined
  /** Seconds until a retry, if the server says so. */
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** An error answer of the server, or a lost connection. Its message is for people. */
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

/**
 * @param problem the body of an error answer, or the error in the last line of a streamed answer
 */
export function errorOf(problem: unknown, more: Partial<Refusal> = {}): SemblanceError {
  const { title, status, detail } = isObject(problem) ? problem : {}
  return new SemblanceError({
    status: typeof status === 'number' ? status : 0,
    title: typeof title === 'string' ? title : 'Error',
    detail: typeof detail === 'string' ? detail : 'the server gives no reason',
    ...more,
  })
}

/** Reads an error answer. A proxy may send anything, not only JSON. */
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

/** @param url only its origin is shown, because the rest may contain secrets */
export function noAnswer(url: string, cause: unknown): SemblanceError {
  const { origin } = new URL(url)
  return new SemblanceError({
    status: 0,
    title: 'No answer',
    detail: `the connection to ${origin} failed (${reasonOf(cause)})`,
    cause,
  })
}

/** Node has the reason in the error's cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
