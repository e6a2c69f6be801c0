import { type DestinationStream, destination, pino, stdTimeFunctions } from 'pino'
import { PinoPretty } from 'pino-pretty'

/**
 * The fields of a line besides its message. A `cause` is printed without the parameters of queries.
 */
export type Details = Readonly<Record<string, unknown>>

/** The service's log. It never contains secrets, or vectors or texts of users. */
export interface Log {
  debug(message: string, details?: Details): void
  info(message: string, details?: Details): void
  warn(message: string, details?: Details): void
  error(message: string, details?: Details): void
}

/**
 * Logs one JSON object per line. The default output is stderr, because stdout is for the output of
 * commands.
 */
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

/** Readable lines on a terminal, JSON elsewhere. */
const standardError = () => (process.stderr.isTTY ? linesForPeople(2) : linesTo(2))

/**
 * If nothing can be written, for example because the disk is full, this much is kept and further
 * lines are lost.
 */
const maxKept = 64 * 1024

/**
 * Writes each line immediately, so that a crash loses none. Write errors are ignored, so that
 * logging goes on.
 */
export function linesTo(fd: number): DestinationStream {
  return destination({ fd, sync: true, maxLength: maxKept }).on('error', () => {})
}

/** @param to a file or a stream */
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

/**
 * The line contains values from clients. Control characters are escaped, so that they can neither
 * start a line nor control the terminal.
 */
function inWords(line: Readonly<Record<string, unknown>>, messageKey: string): string {
  const { method, route, status, ms, caller, client, detail } = line
  const request = method === undefined ? '' : ` ${method} ${route} ${status} ${ms} ms ${caller}`
  const from = client === undefined ? '' : ` from ${client}`
  const why = detail === undefined ? '' : `: ${detail}`
  return `${line[messageKey]}${request}${from}${why}`.replaceAll(/\p{Cc}/gu, escaped)
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Prints an error without SQL parameters, which Drizzle puts into its messages. */
function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if ('query' in cause && 'params' in cause) {
    return `query failed: ${cause.query}\n${describeCause(cause.cause)}`
  }
  const inner = cause.cause === undefined ? '' : `\ncaused by ${describeCause(cause.cause)}`
  return (cause.stack ?? cause.message) + inner
}
