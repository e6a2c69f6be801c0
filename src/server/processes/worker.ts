// One of several processes that serve on one port. The supervisor starts it.
import cluster from 'node:cluster'
import type { Config } from '../../config/config.ts'
import { StartupError } from '../../errors.ts'
import { createLog } from '../../log.ts'
import { askedToStop } from '../asked-to-stop.ts'
import { runServer } from '../run-server.ts'
import { openStore } from '../startup.ts'
import type { FromWorker } from './supervisor.ts'

const { worker } = cluster
if (worker === undefined) throw new Error('the primary process starts this one')

/** Resolves when the primary process has ended or has disconnected this one. */
const gone = new Promise<undefined>((resolve) => {
  worker.once('disconnect', () => {
    // Otherwise Node would exit at once, with requests in flight.
    worker.exitedAfterDisconnect = true
    resolve(undefined)
  })
})
/** The primary process's configuration, even if a file or the environment has changed since. */
const settings = new Promise<Config>((resolve) => worker.once('message', resolve))
const asked = Promise.race([askedToStop(), gone])

/** @returns once the message was sent, or if it cannot be sent */
const tell = (message: FromWorker) =>
  new Promise<void>((told) => {
    if (worker.isConnected()) worker.send(message, () => told())
    else told()
  })

async function serve(): Promise<void> {
  void tell({ is: 'started' })
  const config = await Promise.race([settings, asked])
  if (config === undefined) return
  const log = createLog(config.debug, undefined, { pid: process.pid })
  await runServer(config, log, {
    open: () => openStore(config, log),
    asked,
    listening: (url) => void tell({ is: 'listening', url }),
    sharesPort: true,
  })
}

async function fail(error: unknown): Promise<void> {
  // Other errors are bugs. Rethrown, they would be logged, and this process would stay idle.
  if (error instanceof StartupError) await tell({ is: 'refused', reason: error.message })
  else process.stderr.write(`semblance: ${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
}

void serve().then(() => process.exit(0), fail)
