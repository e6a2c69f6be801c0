import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'
import { errorCode } from '../errors.ts'
import { Session } from './session.ts'
import type { PostgresSettings } from './settings.ts'

const startupTimeoutMs = 30_000

/** @throws StartupError when the server does not answer within 30 s or lets us not in */
export async function waitForServer(settings: PostgresSettings): Promise<void> {
  const deadline = Date.now() + startupTimeoutMs
  for (let pause = 100; ; pause = Math.min(pause * 2, 2_000)) {
    const session = new Session(settings, { statementMs: 15_000 })
    try {
      await session.run('select 1', [], 'execute')
      return await session.close()
    } catch (error) {
      const refusal = refusalOf(errorCode(error), settings)
      if (refusal !== undefined || Date.now() + pause > deadline) {
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
