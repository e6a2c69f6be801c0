import { searchPath } from '../pgvector.ts'
import { plansByKey } from '../plans-by-key.ts'

export interface SessionOptions {
  /** How long one statement may take; 0 for no limit. */
  readonly statementMs: number
  /** Further run-time parameters, as `SET` takes them. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Is told when the server that a new connection leads to was started. */
  readonly noteStart?: (time: string) => void
}

/**
 * How values are read and written, and whatever else the queries rely on, regardless of the
 * defaults of the server, the database or the role.
 */
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
 * Defaults for the workers' databases, which get parts of queries from a coordinator. A search index
 * is built on all shards, of which one has its project: one process takes as much memory as it needs
 * there, while several would reserve all of it on each shard.
 */
export const onWorkers = {
  ...values,
  ...plansByKey,
  maintenance_work_mem: '1GB',
  max_parallel_maintenance_workers: '0',
}

const onePlan = 'plan_cache_mode'
/** Citus finds the worker by the values of a statement, so it needs plans that know them. */
const planMode = (mode: string) =>
  `case when to_regclass('public.distributed_commits') is null then '${mode}' else 'auto' end`

/**
 * The statements that set a new connection's run-time parameters, one after the other. They are not
 * parameters of the connection, because PgBouncer refuses those.
 */
export function setParameters({ statementMs, parameters }: SessionOptions): [string, string] {
  const all = { ...reliedOn, lock_timeout: `${statementMs / 2}`, ...parameters }
  const list = Object.entries(all).map(
    ([name, value]) =>
      `set_config('${name}', ${name === onePlan ? planMode(value) : `'${value}'`}, false)`,
  )
  return [
    // This comes first and alone: the role's own timeout may be too short for the next statement.
    `set statement_timeout = ${statementMs}`,
    `select pg_postmaster_start_time()::text as start, ${list.join(', ')}, set_config('search_path', ${searchPath}, false)`,
  ]
}
