import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { openClient, withServer } from './connect.ts'
import { addressOf, type ConnectionOptions } from './connection-options.ts'

/** How long a pooler may take for a second connection. */
const secondConnectionMs = 5_000

/**
 * Checks that the database stores every text unchanged, and that a connection stays with one server
 * process, which settings and locks of sessions require. With a pooler in transaction mode it gets
 * another process for each transaction.
 * @param connections how many the service may open, for the message
 * @throws StartupError
 */
export function checkServer(
  target: ConnectionOptions,
  connections: number,
  log: Log,
): Promise<void> {
  const check = async (sql: postgres.Sql) => {
    const [, isPooled] = await processOf(sql)
    if (isPooled) await checkPooler(sql, target, connections)
    await checkEncoding(sql, target)
  }
  return withServer(target, check, log)
}

async function checkPooler(
  first: postgres.Sql,
  target: ConnectionOptions,
  connections: number,
): Promise<void> {
  const pooler = `the connection pooler at ${addressOf(target)}`
  const instead = 'PostgreSQL itself in SERVICE_DBHOST and SERVICE_DBPORT'
  const second = openClient(target)
  const verdict = await probe(first, second).finally(() => second.end({ timeout: 0 }))
  if (verdict === 'shared') {
    throw new StartupError(
      `${pooler} shares its connections between transactions; session mode is needed (pool_mode = session in PgBouncer), or ${instead}`,
    )
  }
  if (verdict === 'too small') {
    throw new StartupError(
      `${pooler} has no second connection for this service, which needs ${connections}; raise its pool size (default_pool_size in PgBouncer, in session mode), or name ${instead}`,
    )
  }
}

/**
 * While two transactions are open at once, a pooler needs two server connections. After both have
 * ended, the first client gets the second's connection, or first its own and then the second's,
 * depending on whether the pooler reuses the connection that was released last or first.
 */
async function probe(first: postgres.Sql, second: postgres.Sql) {
  // PgBouncer in statement mode ends a connection that begins a transaction.
  const one = await begin(first).catch(() => undefined)
  if (one === undefined) return 'shared'
  const two = await Promise.race([
    begin(second),
    sleep(secondConnectionMs, undefined, { ref: false }),
  ])
  if (two === undefined) return 'too small'
  await first.unsafe('commit')
  await second.unsafe('commit')
  // It is asked more often because other clients may take the connection that betrays the pooler.
  for (let round = 0; round < 10; round += 1) {
    const [now] = await processOf(first)
    if (now !== one) return 'shared'
  }
  const [now] = await processOf(second)
  return now === two ? 'sessions' : 'shared'
}

/** @returns the server process of the transaction */
async function begin(sql: postgres.Sql): Promise<number> {
  await sql.unsafe('begin')
  const [pid] = await processOf(sql)
  return pid
}

/** The server process, and whether it differs from the one that was announced. */
async function processOf(sql: postgres.Sql): Promise<[pid: number, isPooled: boolean]> {
  const rows = await sql.unsafe('select pg_backend_pid() as pid')
  const pid = Number(rows[0]?.['pid'])
  return [pid, pid !== rows.state.pid]
}

async function checkEncoding(sql: postgres.Sql, target: ConnectionOptions): Promise<void> {
  const [row] = await sql.unsafe('show server_encoding')
  const encoding = row?.['server_encoding']
  if (encoding === 'UTF8') return
  throw new StartupError(
    `the database '${target.database}' of PostgreSQL at ${addressOf(target)} has the encoding ${encoding}, and UTF8 is needed; create one with ENCODING 'UTF8' TEMPLATE template0 and name it in SERVICE_DBNAME`,
  )
}

/**
 * Compares the connections that the pools may open with what the server, the role and the database
 * allow.
 * @param each how many connections one of the processes may open
 * @throws StartupError if one of them allows too few
 */
export async function checkLimits(
  target: ConnectionOptions,
  each: number,
  processes: number,
): Promise<void> {
  const wanted = processes * each
  const limits = await withServer(target, limitsOf)
  const limit = limits.find(({ allowed }) => allowed < wanted)
  if (limit === undefined) return
  const sum = processes === 1 ? `${wanted}` : `${wanted} (${processes} processes × ${each})`
  const lower = `lower SERVICE_DBCONNECTIONS${processes === 1 ? '' : ' or SERVICE_WORKERS'}`
  throw new StartupError(
    `PostgreSQL at ${addressOf(target)} allows ${limit.allowed} connections${limit.of}, fewer than the ${sum} of this service; ${lower}, or raise ${limit.setting}`,
  )
}

/** How many connections the server, the role and the database allow, whoever else has some. */
export async function allowedConnections(target: ConnectionOptions, log: Log): Promise<number> {
  const limits = await withServer(target, limitsOf, log)
  return Math.min(...limits.map(({ allowed }) => allowed))
}

interface Limit {
  readonly allowed: number
  readonly of: string
  readonly setting: string
}

/** A role or database without a limit has -1, and no limit binds a superuser. */
const limitsQuery = `
  select allowed, "of", setting
  from pg_roles, pg_database, lateral (values
    (current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),
      '', 'max_connections'),
    (case when rolsuper then -1 else rolconnlimit end,
      ' of this user', 'the CONNECTION LIMIT of the role'),
    (case when rolsuper then -1 else datconnlimit end,
      ' to this database', 'the CONNECTION LIMIT of the database')
  ) as each (allowed, "of", setting)
  where rolname = session_user and datname = current_database() and allowed >= 0`

async function limitsOf(sql: postgres.Sql) {
  // The role may have a timeout that is too short even for this query.
  await sql.unsafe('set statement_timeout = 0')
  return sql.unsafe<Limit[]>(limitsQuery)
}
