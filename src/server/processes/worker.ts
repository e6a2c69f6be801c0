// One of several processes that serve on one port. The supervisor starts it.
import { StartupError } from '../../errors.ts'
import { createLog } from '../../log.ts'
import { askedToStop } from '../asked-to-stop.ts'
import { runServer } from '../run-server.ts'
import { Primary } from './primary.ts'

const primary = new Primary()
const asked = Promise.race([askedToStop(), primary.gone])

async function serve(): Promise<void> {
  const config = await Promise.race([primary.settings, asked])
  if (config === undefined) return
  await runServer(config, createLog(config.debug, undefined, { pid: process.pid }), {
    // The primary process has looked before there were any.
    checkPlace: async () => {},
    checkStore: async () => {},
    asked,
    listening: (url) => primary.listening(url),
    siblings: primary,
  })
}

async function fail(error: unknown): Promise<void> {
  // Others are a fault of the program. Thrown on they would be logged, and this process would stay and never serve.
  if (error instanceof StartupError) await primary.refused(error.message)
  else process.stderr.write(`semblance: ${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
}

void serve().then(() => process.exit(0), fail)
