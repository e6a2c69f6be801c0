import type { Database } from '../../src/db/database.ts'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { prepareDatabase } from '../../src/db/prepare.ts'
import { noHosts, parseAllowedHosts } from '../../src/providers/allowed-hosts.ts'
import { checkEncryptionKey } from '../../src/secrets/key-check.ts'
import { createSealer } from '../../src/secrets/sealing.ts'
import { createApp } from '../../src/server/app.ts'
import type { AppDependencies } from '../../src/server/app-dependencies.ts'
import { watch } from './secrets/watch.ts'
import { openMigratedCopy } from './servers/own-database.ts'
import { postgresOfRun } from './servers/postgres-place.ts'

export const adminKey = 'the-administrators-key-of-the-tests'
export const encryptionKey = 'the-encryption-key-of-the-tests-32+'
export const maxBodyBytes = 4 * 1024 * 1024
/** Small enough for the tests' own data; nothing is built before a test calls `look`. */
export const indexLimits = {
  exactBudget: 100_000,
  maxIndexes: 500,
  indexDelay: 0,
}

/** Vectors of the smallest projects too are kept in memory. */
export const cacheLimits = { maxBytes: 2 ** 30, fewestComponents: 1, exactBudget: 5_000_000 }

/**
 * As in production the embedded engine has vectors in memory and no indexes. On PostgreSQL only tests of the
 * vectors in memory have them, so that the others are of its indexes.
 */
const searchSettings = () =>
  postgresOfRun() === undefined
    ? { indexLimits: { ...indexLimits, exactBudget: Number.POSITIVE_INFINITY }, cacheLimits }
    : { indexLimits, cacheLimits: { ...cacheLimits, maxBytes: 0 } }

/** What the app is made with besides its database and its log. */
const appSettings = () => ({
  ...searchSettings(),
  adminKey,
  maxBody: maxBodyBytes,
  trustProxy: false,
  slowRequest: 0,
  rateLimit: 0,
  publicMetrics: false,
  mcp: true,
  // Where tests have providers of their own.
  embeddingHosts: parseAllowedHosts('127.0.0.0/8') ?? noHosts,
  maxScan: 10_000_000_000,
  maxWordBytes: 2 ** 28,
})

/** The app on a database. */
export function serviceOn(database: Database, own: Partial<AppDependencies> = {}) {
  const sealer = createSealer(encryptionKey)
  return createApp({ ...appSettings(), database, sealer, log: watch.log(), ...own })
}

/** The same on one that is perhaps new, with all of its exchanges watched. */
export async function startOn(
  database: Database,
  own: Partial<AppDependencies> = {},
  learns = true,
) {
  for (const key of [adminKey, encryptionKey]) watch.secrets.add(key)
  const sealer = createSealer(encryptionKey)
  await prepareDatabase(database, (tx) => checkEncryptionKey(tx, sealer))
  const service = serviceOn(database, own)
  return { ...service, app: watch.app(service.app, learns), database }
}

export type TestApp = Awaited<ReturnType<typeof start>>

let started: Promise<TestApp> | undefined

/** The real app on the engine of this run; one for all test files of a worker. */
export function testApp(): Promise<TestApp> {
  started ??= start()
  return started
}

async function start() {
  const service = await startOn(await openDatabase())
  watch.atEndOfFile(async () => {
    await service.app.request('/metrics', { headers: { Authorization: `Bearer ${adminKey}` } })
    await watch.newRows(service.database)
  })
  return service
}

async function openDatabase(): Promise<Database> {
  const place = postgresOfRun()
  if (place !== undefined) return openPostgres(place)
  const { database } = await openMigratedCopy()
  return database
}
