import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { errorCode } from '../errors.ts'
import { addressOf, applicationName, type ConnectionOptions } from './connection-options.ts'
import { connectMs, openSocket } from './socket.ts'
import { TlsRefusal } from './tls.ts'

const startupTimeoutMs = 30_000
/** When the log first says that the server does not answer, and how often from then on. */
const saidAfterMs = { first: 2_000, next: 5_000 }

/** Drizzle's columns read these types from text and write them as text. */
const textTypes = {
  to: 1184,
  from: [1082, 1083, 1114, 1184, 114, 3802],
  serialize: (value: unknown) => value,
  parse: (value: unknown) => value,
}

/** A client of postgres.js for one connection. @param socket opens it */
export function openClient(
  target: ConnectionOptions,
  socket = () => openSocket(target),
): postgres.Sql {
  const options = {
    ...target,
    socket,
    max: 1,
    // postgres.js would ask for the types of arrays at each connection, but none are used.
    fetch_types: false,
    max_lifetime: null,
    connect_timeout: connectMs / 1000,
    // Otherwise postgres.js takes PGSSL from the environment, and would speak TLS on top of ours.
    ssl: false,
    onnotice: () => {},
    types: { text: textTypes },
    connection: { application_name: applicationName },
  }
  return postgres(options)
}

/**
 * Runs `work` on a connection of its own, and tries again and again until the server answers.
 * @param log gets warnings while the server does not answer
 * @throws StartupError if the server does not answer within 30 s or refuses the connection, or if
 *   `work` throws one
 */
export async function withServer<T>(
  target: ConnectionOptions,
  work: (sql: postgres.Sql) => Promise<T>,
  log?: Log,
): Promise<T> {
  const since = performance.now()
  let reason = ''
  // A timer says so, because an attempt alone may take 10 s.
  const say = () => {
    const seconds = Math.round((performance.now() - since) / 1000)
    log?.warn(
      `PostgreSQL at ${addressOf(target)} has not answered for ${seconds} s${reason}; trying for ${startupTimeoutMs / 1000} s`,
    )
    timer = setTimeout(say, saidAfterMs.next)
  }
  let timer = setTimeout(say, saidAfterMs.first)
  try {
    for (let pause = 100; ; pause = Math.min(pause * 2, 2_000)) {
      // postgres.js never reuses a client whose socket could not be opened.
      const sql = openClient(target)
      try {
        await sql.unsafe('select 1')
        clearTimeout(timer)
        return await work(sql)
      } catch (error) {
        if (error instanceof StartupError) throw error
        reason = reasonOf(error)
        const refusal = refusalOf(error, target)
        if (refusal !== undefined) throw new StartupError(refusal)
        const isOver = performance.now() + pause - since > startupTimeoutMs
        if (isOver) throw new StartupError(noAnswer(target, reason))
      } finally {
        await sql.end({ timeout: 1 })
      }
      await sleep(pause)
    }
  } finally {
    clearTimeout(timer)
  }
}

/** The code of an error, and the message of a server, or of a pooler before it, if one answered. */
function reasonOf(error: unknown): string {
  const said = error instanceof postgres.PostgresError ? `: ${error.message}` : ''
  return ` (${errorCode(error)}${said})`
}

const noAnswer = (target: ConnectionOptions, reason: string) =>
  `PostgreSQL at ${addressOf(target)} did not answer within ${startupTimeoutMs / 1000} s${reason}; check SERVICE_DBHOST and SERVICE_DBPORT, or use SERVICE_DATABASE=embedded`

/** Explains refusals that waiting does not mend. */
function refusalOf(error: unknown, target: ConnectionOptions): string | undefined {
  if (error instanceof TlsRefusal) return error.message
  if (!(error instanceof postgres.PostgresError)) return undefined
  const { user, database } = target
  const server = `PostgreSQL at ${addressOf(target)}`
  // PgBouncer uses one SQLSTATE for everything.
  if (error.code === '08P01' && error.message.includes('SSL required')) {
    return `${server} wants TLS; set SERVICE_DBSSLMODE=require or stricter`
  }
  switch (error.code) {
    case '28P01':
      return refusedUser(target)
    case '28000':
      return error.routine === 'ClientAuthentication' ? noEntry(target) : refusedUser(target)
    case '3D000':
      return `${server} has no database '${database}'; create it or check SERVICE_DBNAME`
    case '42501':
      return `${server} lets user '${user}' not connect to '${database}'; check SERVICE_DBUSER and SERVICE_DBNAME`
    default:
      return undefined
  }
}

const refusedUser = (target: ConnectionOptions) =>
  `PostgreSQL at ${addressOf(target)} refused user '${target.user}'; check SERVICE_DBUSER and SERVICE_DBPASSWORD`

/** The server looks for an entry that fits the user, the database, the address, and TLS or none. */
function noEntry(target: ConnectionOptions): string {
  const { user, tls } = target
  const where = `pg_hba.conf of PostgreSQL at ${addressOf(target)} has no entry that lets user '${user}' in from here`
  return tls.mode === 'disable'
    ? `${where} without TLS; set SERVICE_DBSSLMODE=require or stricter, or add an entry`
    : `${where}; add one, or set SERVICE_DBSSLMODE=disable when it is for connections without TLS`
}
