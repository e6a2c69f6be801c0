import { searchPath } from '../pgvector.ts'

export interface SessionOptions {
  /** How long one statement may take; 0 for any time. */
  readonly statementMs: number
  /** Further run-time parameters, as `SET` takes them. */
  readonly parameters?: Readonly<Record<string, string>>
  /** What a new connection is asked first, and who is told its first row. */
  readonly admission?: { readonly query: string; check(row: unknown): void }
}

/** How values are read and written, and what the queries rely on besides, whatever the server, the database or the role has as its default. */
const values = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  // Compiling a plan takes longer than the scans that it is meant to speed up.
  jit: 'off',
}

const reliedOn = {
  ...values,
  client_min_messages: 'warning',
  default_transaction_isolation: 'read committed',
  plan_cache_mode: 'auto',
  enable_indexscan: 'on',
  enable_indexonlyscan: 'on',
  idle_in_transaction_session_timeout: '120000',
}

/**
 * Plans that no statistics may change, since those know nothing of a project that is new. Scans of the table
 * would read the rows of all projects; a sort is disabled where an index has the order already, and the only
 * plan elsewhere.
 */
export const plansByKey = { enable_seqscan: 'off', enable_bitmapscan: 'off', enable_sort: 'off' }

/** What the queries rely on where a coordinator sends their parts, as defaults of the database. */
export const onWorkers = { ...values, ...plansByKey }

const onePlan = 'plan_cache_mode'
/** Citus finds the worker by the values of a statement. */
const planMode = (mode: string) =>
  `case when to_regclass('public.distributed_commits') is null then '${mode}' else 'auto' end`

/**
 * The statements that set a new connection's run-time parameters, one after the other. Not as parameters
 * of the connection, which PgBouncer refuses.
 */
export function setParameters({ statementMs, parameters }: SessionOptions): [string, string] {
  const all = { ...reliedOn, lock_timeout: `${statementMs / 2}`, ...parameters }
  const list = Object.entries(all).map(
    ([name, value]) =>
      `set_config('${name}', ${name === onePlan ? planMode(value) : `'${value}'`}, false)`,
  )
  return [
    // Alone and first: the role's own may be too short for what comes next.
    `set statement_timeout = ${statementMs}`,
    `select ${list.join(', ')}, set_config('search_path', ${searchPath}, false)`,
  ]
}
