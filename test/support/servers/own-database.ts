import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { openEmbedded } from '../../../src/db/embedded/open.ts'
import { openPostgres } from '../../../src/db/postgres/engine.ts'
import { prepareDatabase } from '../../../src/db/prepare.ts'
import { saveTables } from '../database/saved-tables.ts'
import { createDatabase } from './new-database.ts'
import { postgresOfRun } from './postgres-place.ts'
import { copyFolder, preparedFolder } from './prepared.ts'

/** A database that nobody else uses, without tables but on Citus. */
export async function ownDatabase() {
  const server = postgresOfRun()
  if (server === undefined) {
    return { database: await openEmbedded(undefined), place: undefined, drop: async () => {} }
  }
  const name = `own-${randomBytes(6).toString('hex')}`
  const drop = await createDatabase(server, name)
  const place = { ...server, database: name }
  return { database: await openPostgres(place), place, drop }
}

/** The same, with tables on the embedded engine. */
export async function ownMigratedDatabase() {
  if (postgresOfRun() !== undefined) return ownDatabase()
  return ownEmbedded({})()
}

/**
 * A database for several services, one after another, which takes a tenth of the time that one for each takes:
 * what a service has stored is gone when it is closed.
 */
export async function databaseForSeveral() {
  const own = await ownMigratedDatabase()
  await prepareDatabase(own.database, async () => {})
  const saved = await saveTables(own.database)
  const database = { ...own.database, close: async () => {} }
  const close = async () => {
    await own.database.close()
    await own.drop()
  }
  return { open: async () => ({ ...own, database, drop: saved.restore }), close }
}

/** The embedded engine with other options. */
export const ownEmbedded = (options: Parameters<typeof openEmbedded>[1]) => async () => {
  const { database, folder } = await openMigratedCopy(options)
  return { database, place: undefined, drop: () => rm(folder, { recursive: true, force: true }) }
}

/**
 * The embedded engine on a copy of migrated files, which opens in a quarter of the time that a new
 * database takes. What nobody removes goes at the end of the run.
 */
export async function openMigratedCopy(
  options: Parameters<typeof openEmbedded>[1] = {},
): Promise<{ database: Database; folder: string }> {
  const root = inject('migratedFolder')
  const migrated = await preparedFolder(root, 'migrated')
  const folder = await mkdtemp(join(root, 'copy-'))
  const data = join(folder, 'data')
  await copyFolder(join(migrated, 'data'), data)
  return { database: await openEmbedded(data, { durability: 'relaxed', ...options }), folder }
}
