import { searchPath } from '../pgvector.ts'

export interface SessionOptions {
  /** How long one statement may take; 0 for any time. */
  readonly statementMs: number
  /** How long a connection may take to be open; 10 s unless given. */
  readonly connectMs?: number
  /** Further run-time parameters, as `SET` takes them. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** What the queries rely on, whatever the server, the database or the role has as its default. */
const reliedOn = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  client_min_messages: 'warning',
  default_transaction_isolation: 'read committed',
  plan_cache_mode: 'auto',
  enable_indexscan: 'on',
  enable_indexonlyscan: 'on',
  // Compiling a plan takes longer than the scans that it is meant to speed up.
  jit: 'off',
  idle_in_transaction_session_timeout: '120000',
}

/**
 * The statements that set a new connection's run-time parameters, one after the other. Not as parameters
 * of the connection, which PgBouncer refuses.
 */
export function setParameters({ statementMs, parameters }: SessionOptions): [string, string] {
  const values = { ...reliedOn, lock_timeout: `${statementMs / 2}`, ...parameters }
  const list = Object.entries(values).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  )
  return [
    // Alone and first: the role's own may be too short for what comes next.
    `set statement_timeout = ${statementMs}`,
    `select ${list.join(', ')}, set_config('search_path', ${searchPath}, false)`,
  ]
}
