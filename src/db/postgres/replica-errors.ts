import { ServiceError } from '../../errors.ts'
import { errorCode, explainDatabaseError, tookTooLong } from '../errors.ts'

/** A replica has not replayed what was looked up, or is none any more. */
export class NotAsNew extends Error {
  override readonly name = 'NotAsNew'
}

/** A connection leads to a server that must not be read from. */
export class NoReplica extends Error {
  override readonly name = 'NoReplica'
}

const isRefusal = (error: unknown) =>
  error instanceof ServiceError || (error instanceof Error && error.cause instanceof ServiceError)

/** Whether a statement would fail on the primary as well, or is waited for by nobody. */
export const isOfReader = (error: unknown) =>
  isRefusal(error) || tookTooLong(error) || /^(22|54)/.test(errorCode(error) ?? '')

/** A conflict with what a replica replays, or what no replica can do: of the next statement they say nothing. */
const isOfStatement = (error: unknown) => /^(40|25006)/.test(errorCode(error) ?? '')

/** Whether the server, or the way to it, is at fault, rather than this statement there. */
export const isOfServer = (error: unknown) =>
  error instanceof NoReplica ||
  (!isOfStatement(error) && explainDatabaseError(error)?.kind === 'unavailable')

/** For the log: in the words of the server, and not of what wraps them with the statement and its values. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return reasonOf(error.cause)
  if (error instanceof NoReplica) return error.message
  return `${errorCode(error) ?? 'error'}: ${error instanceof Error ? error.message : String(error)}`
}
