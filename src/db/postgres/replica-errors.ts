import { ServiceError } from '../../errors.ts'
import { errorCode, explainDatabaseError, tookTooLong } from '../errors.ts'

/** A replica has not replayed what was looked up, or is none any more. */
export class NotAsNew extends Error {
  override readonly name = 'NotAsNew'
}

const isRefusal = (error: unknown) =>
  error instanceof ServiceError || (error instanceof Error && error.cause instanceof ServiceError)

/** Whether a statement would fail on the primary as well, or is waited for by nobody. */
export const isOfReader = (error: unknown) =>
  isRefusal(error) || tookTooLong(error) || /^(22|54)/.test(errorCode(error) ?? '')

/** Conflicts with what a replica replays end a statement, and say nothing of the next. */
const isConflict = (error: unknown) => /^40/.test(errorCode(error) ?? '')

/** Whether the server, or the way to it, is at fault, rather than this statement there. */
export const isOfServer = (error: unknown) =>
  !isConflict(error) && explainDatabaseError(error)?.kind === 'unavailable'

export const reasonOf = (error: unknown) =>
  `${errorCode(error) ?? 'error'}: ${error instanceof Error ? error.message : String(error)}`
