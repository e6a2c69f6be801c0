/** Where the service reports; never with secrets, vectors or texts of users. */
export interface Log {
  debug(message: string): void
  info(message: string): void
  warn(message: string, cause?: unknown): void
  error(message: string, cause?: unknown): void
}

/** Writes lines to stderr, so that stdout belongs to what a command prints. */
export function createLog(verbose: boolean): Log {
  const write = (level: string, message: string, cause?: unknown) => {
    const reason = cause === undefined ? '' : `\n${describeCause(cause)}`
    process.stderr.write(`${new Date().toISOString()} ${level} ${message}${reason}\n`)
  }
  return {
    debug: (message) => (verbose ? write('debug', message) : undefined),
    info: (message) => write('info', message),
    warn: (message, cause) => write('warn', message, cause),
    error: (message, cause) => write('error', message, cause),
  }
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
