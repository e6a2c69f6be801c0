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
  // Others are a fault of the program, and are seen as one.
  if (!(error instanceof StartupError)) throw error
  await primary.refused(error.message)
  process.exit(1)
}

void serve().then(() => process.exit(0), fail)
