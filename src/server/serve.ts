import { burstPauseSeconds } from '../collections/collections.ts'
import type { Config } from '../config/config.ts'
import { StartupError } from '../errors.ts'
import type { Log } from '../log.ts'
import { parseAllowedHosts } from '../providers/allowed-hosts.ts'
import { createApp } from './app.ts'
import { listenOnBun } from './bun.ts'
import type { Listening, RunningServer } from './listening.ts'
import { listenOnNode } from './node.ts'
import { checkConnections, checkFree, openStore } from './startup.ts'

const listen = async (options: Listening): Promise<RunningServer> =>
  globalThis.Bun === undefined ? listenOnNode(options) : listenOnBun(globalThis.Bun, options)

/** An upload of many batches that grows a project by little in this time need not end before its index is built. */
const settleSeconds = 15
/** The least is some pauses of a client that sends batch after batch. */
const quietSeconds = { least: 2, most: burstPauseSeconds }

/** The embedded engine answers nothing else while it builds an index; vectors in memory do instead. */
const indexLimitsOf = ({ database, exactBudget, maxIndexes }: Config) => ({
  exactBudget: database === 'embedded' ? Number.POSITIVE_INFINITY : exactBudget,
  maxIndexes,
  settleSeconds,
  quietSeconds,
})

const cacheLimitsOf = ({ exactBudget, vectorMemory }: Config) => ({
  exactBudget,
  maxBytes: vectorMemory * 2 ** 20,
  // The database compares fewer in about a millisecond.
  fewestComponents: 250_000,
})

/** Starts the service and serves until SIGTERM or SIGINT. @throws StartupError */
export async function serveUntilStopped(config: Config, log: Log): Promise<void> {
  process.on('unhandledRejection', (cause) => log.error('unhandled rejection', { cause }))
  const embeddingHosts = embeddingHostsOf(config)
  const asked = askedToStop()
  const opening = checkFree(config).then(() =>
    openStore(config, log, () => checkConnections(config, log)),
  )
  const store = await Promise.race([opening, asked])
  if (store === undefined) return
  const { database } = store
  const { app, searchIndexes, cleaner, keyUses, maps } = createApp({
    ...store,
    maxBodyBytes: config.maxBody,
    trustProxy: config.trustProxy,
    slowMs: config.slowRequest,
    rateLimit: config.rateLimit,
    publicMetrics: config.publicMetrics,
    embeddingHosts,
    indexLimits: indexLimitsOf(config),
    cacheLimits: cacheLimitsOf(config),
    maxScan: config.maxScan,
    log,
  })
  const server = await listen({
    ...config,
    fetch: (request, connection) => app.fetch(request, connection),
  }).catch(async (error) => {
    await database.close()
    throw error
  })
  searchIndexes.start()
  cleaner.start()
  keyUses.start()
  announce(log, server.url, database.engine, store)
  await asked
  log.info('stopping')
  searchIndexes.stop()
  cleaner.stop()
  maps.stop()
  keyUses.stop()
  // Whatever hangs: a stop takes less than 10 s. What was acknowledged is stored by now.
  setTimeout(() => process.exit(0), 9_000).unref()
  await server.stop()
  await keyUses.write().catch(() => {})
  await database.close()
}

function embeddingHostsOf({ embeddingHosts }: Config) {
  const hosts = parseAllowedHosts(embeddingHosts)
  if (hosts !== undefined) return hosts
  throw new StartupError(
    'SERVICE_EMBEDDINGHOSTS (--embedding-hosts) must be hosts, separated by commas, such as api.openai.com or localhost:11434, ranges of addresses such as 10.0.0.0/8, or * for all with a public address',
  )
}

/** For a shell: a path may hold anything, and the brackets of an IPv6 address are a pattern to some. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

interface KeyFiles {
  readonly adminKeyFile: string | undefined
  readonly encryptionKeyFile: string | undefined
}

function announce(log: Log, url: string, engine: string, files: KeyFiles): void {
  const { adminKeyFile, encryptionKeyFile } = files
  const key = adminKeyFile === undefined ? '$SERVICE_ADMINKEY' : `$(cat ${quoted(adminKeyFile)})`
  const lines = [
    `Semblance is listening on ${url} (${engine} database); its documentation is at ${url}/docs`,
    ...(adminKeyFile === undefined ? [] : [`The administrator key is in ${adminKeyFile}`]),
    ...(encryptionKeyFile === undefined
      ? []
      : [`The key that seals stored secrets is in ${encryptionKeyFile}; keep it`]),
    `Try: curl -H "Authorization: Bearer ${key}" ${quoted(`${url}/v1/users`)}`,
  ]
  for (const line of lines) log.info(line)
}

/** Resolves at the first signal. More are taken and ignored: at Ctrl-C npm passes on one of its own. */
function askedToStop(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => resolve(undefined))
  })
}
