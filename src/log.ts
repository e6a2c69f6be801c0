import { type DestinationStream, destination, pino, stdTimeFunctions } from 'pino'
import { PinoPretty } from 'pino-pretty'

/** What a line holds besides its message; a `cause` is printed without what queries were given. */
export type Details = Readonly<Record<string, unknown>>

/** Where the service reports; never with secrets, vectors or texts of users. */
export interface Log {
  debug(message: string, details?: Details): void
  info(message: string, details?: Details): void
  warn(message: string, details?: Details): void
  error(message: string, details?: Details): void
}

/** Writes a JSON object a line to `output`, by default to stderr: stdout belongs to what a command prints. */
export function createLog(verbose: boolean, output: DestinationStream = standardError()): Log {
  const logger = pino(
    {
      base: null,
      level: verbose ? 'debug' : 'info',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      serializers: { cause: describeCause },
    },
    output,
  )
  return {
    debug: (message, details = {}) => logger.debug(details, message),
    info: (message, details = {}) => logger.info(details, message),
    warn: (message, details = {}) => logger.warn(details, message),
    error: (message, details = {}) => logger.error(details, message),
  }
}

/** For people on a terminal, for programs elsewhere; at once, so that a crash loses no line. */
function standardError(): DestinationStream {
  if (!process.stderr.isTTY) return destination({ fd: 2, sync: true })
  return PinoPretty({
    destination: 2,
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat:
      '{msg}{if method} {method} {route} {status} {ms} ms {caller}{end}{if client} from {client}{end}{if detail}: {detail}{end}',
    ignore: 'method,route,status,ms,caller,client,detail',
  })
}

/** An error without the parts that hold SQL parameters (Drizzle puts them into its message). */
function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if ('query' in cause && 'params' in cause) {
    return `query failed: ${cause.query}\n${describeCause(cause.cause)}`
  }
  const inner = cause.cause === undefined ? '' : `\ncaused by ${describeCause(cause.cause)}`
  return (cause.stack ?? cause.message) + inner
}
