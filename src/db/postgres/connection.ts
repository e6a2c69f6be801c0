import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { StartupError } from '../../errors.ts'
import { errorCode } from '../errors.ts'
import { openSocket } from './socket.ts'

export interface PostgresSettings {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

const startupTimeoutMs = 30_000
/** The default grows to 20 s, for which requests would wait after the server is back. */
const reconnectAfterSeconds = 0.2

/** Drizzle's columns read these types from text and write them as text. */
const textTypes = {
  to: 1184,
  from: [1082, 1083, 1114, 1184, 114, 3802],
  serialize: (value: unknown) => value,
  parse: (value: unknown) => value,
}

/**
 * Connections that are opened when they are needed.
 * @param session settings of each connection, as `SET` takes them
 */
export function connect(
  settings: PostgresSettings,
  connections: number,
  session: Readonly<Record<string, string>>,
): postgres.Sql {
  const options = {
    ...settings,
    max: connections,
    connect_timeout: 10,
    backoff: () => reconnectAfterSeconds,
    socket: () => openSocket(settings, Number(session['statement_timeout'] ?? 0)),
    onnotice: () => {},
    types: { text: textTypes },
    connection: {
      application_name: 'semblance',
      idle_in_transaction_session_timeout: 120_000,
      ...session,
    },
  }
  return postgres(options)
}

/** @throws StartupError when the server does not answer within 30 s or lets us not in */
export async function waitForServer(settings: PostgresSettings): Promise<void> {
  const sql = connect(settings, 1, {})
  const deadline = Date.now() + startupTimeoutMs
  for (let pause = 100; ; pause = Math.min(pause * 2, 2_000)) {
    try {
      await sql`select 1`
      return await sql.end()
    } catch (error) {
      const refusal = refusalOf(errorCode(error), settings)
      if (refusal !== undefined || Date.now() + pause > deadline) {
        await sql.end({ timeout: 0 })
        throw new StartupError(refusal ?? noAnswer(errorCode(error), settings))
      }
      await sleep(pause)
    }
  }
}

const noAnswer = (code: string | undefined, { host, port }: PostgresSettings) =>
  `PostgreSQL at ${host}:${port} did not answer within ${startupTimeoutMs / 1000} s (${code}); ` +
  'check SERVICE_DBHOST and SERVICE_DBPORT, or use SERVICE_DATABASE=embedded'

/** Refusals that waiting does not mend. */
function refusalOf(code: string | undefined, settings: PostgresSettings): string | undefined {
  const server = `PostgreSQL at ${settings.host}:${settings.port}`
  switch (code) {
    case '28P01':
    case '28000':
      return `${server} refused user '${settings.user}'; check SERVICE_DBUSER and SERVICE_DBPASSWORD`
    case '3D000':
      return `${server} has no database '${settings.database}'; create it or check SERVICE_DBNAME`
    case '42501':
      return `${server} lets user '${settings.user}' not connect to '${settings.database}'; check SERVICE_DBUSER and SERVICE_DBNAME`
    default:
      return undefined
  }
}
