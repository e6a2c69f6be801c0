import type { Config } from '../config/config.ts'
import type { Log } from '../log.ts'
import { createApp } from './app.ts'
import { appSettingsOf } from './app-settings.ts'
import { listenOnBun } from './bun.ts'
import type { Listening, RunningServer } from './listening.ts'
import { listenOnNode } from './node.ts'
import type { Store } from './startup.ts'

const listen = async (options: Listening): Promise<RunningServer> =>
  globalThis.Bun === undefined ? listenOnNode(options) : listenOnBun(globalThis.Bun, options)

/** The hooks by which a command runs a server. */
export interface Surroundings {
  /** @throws StartupError */
  open(): Promise<Store>
  /** Resolves when the server is to stop. */
  readonly asked: Promise<undefined>
  listening(url: string, store: Store): void
  /** Whether other processes serve on this port too. */
  readonly sharesPort: boolean
}

/** Serves from this process until it is asked to stop. @throws StartupError */
export async function runServer(config: Config, log: Log, around: Surroundings): Promise<void> {
  process.on('unhandledRejection', (cause) => log.error('unhandled rejection', { cause }))
  const settings = appSettingsOf(config)
  const store = await Promise.race([around.open(), around.asked])
  if (store === undefined) return
  const { database } = store
  const { sharesPort } = around
  const { app, searchIndexes, vectorCache, wordCache, cleaner, keyUses, maps } = createApp({
    ...settings,
    ...store,
    // A request for metrics reaches one of several processes, and the label says which.
    metricLabels: sharesPort ? { pid: `${process.pid}` } : {},
    log,
  })
  const opened = listen({
    ...config,
    sharesPort,
    fetch: (request, connection) => app.fetch(request, connection),
  }).catch(async (error) => {
    await database.close()
    throw error
  })
  // A worker needs the primary process to bind the address, and that process may have ended.
  const server = await Promise.race([opened, around.asked])
  if (server === undefined) {
    void opened.then(
      (late) => late.stop(),
      () => {},
    )
    return database.close()
  }
  for (const task of [searchIndexes, vectorCache, wordCache, cleaner, keyUses]) task.start()
  around.listening(server.url, store)
  await around.asked
  for (const task of [searchIndexes, vectorCache, wordCache, cleaner, maps, keyUses]) task.stop()
  // A stop takes less than 10 s, whatever hangs. Everything acknowledged is stored by now.
  setTimeout(() => process.exit(0), 9_000).unref()
  await server.stop()
  await keyUses.write().catch(() => {})
  await vectorCache.write(true).catch(() => {})
  await database.close()
}
