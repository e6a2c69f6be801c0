import type { Config } from '../config/config.ts'
import type { Log } from '../log.ts'
import { announce } from './announce.ts'
import { askedToStop } from './asked-to-stop.ts'
import { superviseUntilStopped, workersOf } from './processes/supervise.ts'
import { checkConnections, checkFree } from './startup.ts'

/** Starts the service and serves until SIGTERM or SIGINT. @throws StartupError */
export async function serveUntilStopped(config: Config, log: Log): Promise<void> {
  const workers = workersOf(config)
  if (workers > 1) return superviseUntilStopped(config, log, workers)
  // Loaded here because a process that only supervises does not need it.
  const { runServer } = await import('./run-server.ts')
  await runServer(config, log, {
    checkPlace: async () => void (await checkFree(config)),
    checkStore: () => checkConnections(config, log),
    asked: askedToStop(log),
    sharesPort: false,
    listening: (url, store) => announce(log, url, config, store),
  })
}
