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
export function createLog(
  verbose: boolean,
  output: DestinationStream = standardError(),
  inEveryLine: Details | null = null,
): Log {
  const logger = pino(
    {
      base: inEveryLine,
      level: verbose ? 'debug' : 'info',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      serializers: { cause: describeCause },
      hooks: { streamWrite: (line) => line.replaceAll(/[\u007f-\u009f]/g, escaped) },
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

/** For people on a terminal, for programs elsewhere. */
const standardError = () => (process.stderr.isTTY ? linesForPeople(2) : linesTo(2))

/** While nothing can be written, as on a full disk, so much is kept; further lines are lost. */
const maxKept = 64 * 1024

/** Writes to this file at once, so that a crash loses no line. No fault of the file ends what is logged. */
export function linesTo(fd: number): DestinationStream {
  return destination({ fd, sync: true, maxLength: maxKept }).on('error', () => {})
}

/** @param to a file, or what takes the lines */
export function linesForPeople(to: number | NodeJS.WritableStream): DestinationStream {
  return PinoPretty({
    destination: to,
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: inWords,
    ignore: 'method,route,status,ms,caller,client,detail',
  })
}

/** What clients have chosen is in it: it must neither begin a line nor steer the terminal. */
function inWords(line: Readonly<Record<string, unknown>>, messageKey: string): string {
  const { method, route, status, ms, caller, client, detail } = line
  const request = method === undefined ? '' : ` ${method} ${route} ${status} ${ms} ms ${caller}`
  const from = client === undefined ? '' : ` from ${client}`
  const why = detail === undefined ? '' : `: ${detail}`
  return `${line[messageKey]}${request}${from}${why}`.replaceAll(/\p{Cc}/gu, escaped)
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** An error without the parts that hold SQL parameters (Drizzle puts them into its message). */
function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if ('query' in cause && 'params' in cause) {
    return `query failed: ${cause.query}\n${describeCause(cause.cause)}`
  }
  const inner = cause.cause === undefined ? '' : `\ncaused by ${describeCause(cause.cause)}`
  return (cause.stack ?? cause.message) + inner
}
