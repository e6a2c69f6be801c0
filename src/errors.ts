export type ErrorKind =
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'timed-out'
  | 'too-large'
  | 'too-many-requests'
  | 'unprocessable'
  | 'unavailable'
  | 'bad-gateway'
  | 'gateway-timeout'
  | 'cancelled'

/**
 * An error in the middle of a streamed answer, with the fields that its last line has besides the
 * error.
 */
export class FailedMidway extends Error {
  override readonly name = 'FailedMidway'
  readonly said: object

  constructor(cause: unknown, said: object) {
    super('failed midway', { cause })
    this.said = said
  }
}

type Logged = Readonly<Record<string, string>>

interface Options extends ErrorOptions {
  readonly retryAfter?: number | undefined
  readonly logged?: Logged
  readonly sparesOthers?: boolean
}

/** An expected failure whose detail may be shown to the client. It is independent of HTTP. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly kind: ErrorKind
  /** Seconds until a retry, if that helps. */
  readonly retryAfter: number | undefined
  /** Details for the log only, which the client may not know. */
  readonly logged: Logged | undefined
  /** Whether other parts of the same request can be answered, although the service is unavailable. */
  readonly sparesOthers: boolean

  constructor(kind: ErrorKind, detail: string, options?: Options) {
    super(detail, options)
    this.kind = kind
    this.retryAfter = options?.retryAfter
    this.logged = options?.logged
    this.sparesOthers = options?.sparesOthers === true
  }
}

export const badRequest = (detail: string) => new ServiceError('bad-request', detail)
export const unauthorized = () =>
  new ServiceError('unauthorized', 'Invalid or missing authorization credentials')
/** @param why the reason as far as the caller may know it @param logged details for the log */
export const forbiddenOperation = (why?: string, logged: Logged = {}) =>
  new ServiceError(
    'forbidden',
    `You have no permission for this operation${why === undefined ? '' : `: ${why}`}`,
    { logged },
  )
export const bodyRequired = () => badRequest('A JSON body is required')
export const nulInUrl = () => badRequest('The URL holds a NUL character')
/** @param logged details that the client may not know */
export const forbidden = (detail: string, logged: Logged = {}) =>
  new ServiceError('forbidden', detail, { logged })
export const notFound = (detail: string) => new ServiceError('not-found', detail)
export const conflict = (detail: string) => new ServiceError('conflict', detail)
/** @param instead how to send more */
export const tooLarge = (limit: number, instead?: string) =>
  new ServiceError(
    'too-large',
    `The body is larger than the limit of ${limit} bytes${instead === undefined ? '' : `; ${instead}`}`,
  )
export const unprocessable = (detail: string) => new ServiceError('unprocessable', detail)
export const unavailable = (detail: string, cause?: unknown) =>
  new ServiceError('unavailable', detail, { cause, retryAfter: 1 })
export const changedMeanwhile = () =>
  conflict('The resource was changed by another request at the same time; try again')
export const tooBusy = () => unavailable('The service is busy; try again in a moment')
export const bodyTooSlow = (bytesPerSecond: number) =>
  new ServiceError(
    'timed-out',
    `The body arrives too slowly; send at least ${bytesPerSecond} bytes a second`,
  )
/** @param perMinute the limit @param seconds until the next request is allowed */
export const tooManyRequests = (perMinute: number, seconds: number) =>
  new ServiceError(
    'too-many-requests',
    `The limit of ${perMinute} requests a minute is reached; try again in ${seconds} s`,
    { retryAfter: seconds },
  )

/** Nobody reads this answer. It tells the log a hung-up client from other failures. */
export const cancelled = () =>
  new ServiceError('cancelled', 'The client closed the connection before it was answered')

// Messages that the specification prescribes, defined once.
export const noSuchUser = (handle: string) => notFound(`User '${handle}' not found`)
export const noSuchProject = (owner: string, handle: string) =>
  notFound(`Project '${owner}/${handle}' not found`)
export const noSuchInstance = (owner: string, handle: string) =>
  notFound(`LLM service instance '${owner}/${handle}' not found`)
export const unknownStandard = (handle: string) =>
  badRequest(`api_standard: there is no API standard '${handle}'`)

/** Prevents the start: one line for the operator that names the setting and what would be right. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
