import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { inject } from 'vitest'
import { openEmbedded } from '../../../src/db/embedded/open.ts'
import { openPostgres } from '../../../src/db/postgres/engine.ts'
import { prepareDatabase } from '../../../src/db/prepare.ts'
import { checkEncryptionKey } from '../../../src/secrets/key-check.ts'
import { createSealer } from '../../../src/secrets/sealing.ts'
import { type AppDependencies, createApp } from '../../../src/server/app.ts'
import { adminKey, appSettings } from '../app.ts'
import { unique } from '../factories.ts'
import { watch } from '../secrets/watch.ts'
import { postgresOfRun } from './postgres-place.ts'
import { copyFolder } from './prepared.ts'

export const encryptionKey = 'the-encryption-key-of-an-own-service'

/**
 * An app on a database that nobody else writes to, so that every change has a known cause.
 * @param learns false where requests hold as secrets what other fields have as well
 */
export async function startOwnService(settings: Partial<AppDependencies> = {}, learns = true) {
  for (const key of [adminKey, encryptionKey]) watch.secrets.add(key)
  const { database, place, drop } = await ownMigratedDatabase()
  const sealer = createSealer(encryptionKey)
  await prepareDatabase(database, (tx) => checkEncryptionKey(tx, sealer))
  const log = watch.log()
  const service = createApp({ ...appSettings, database, sealer, log, ...settings })
  const close = async () => {
    await watch.tables(database)
    await database.close()
    await drop()
  }
  return { ...service, app: watch.app(service.app, learns), database, place, close }
}

/** A database that nobody else uses, without tables. */
export async function ownDatabase() {
  const server = postgresOfRun()
  if (server === undefined) {
    return { database: await openEmbedded(undefined), place: undefined, drop: async () => {} }
  }
  const name = unique('own')
  const sql = postgres({ ...server, max: 1, onnotice: () => {} })
  await sql.unsafe(`create database "${name}"`)
  const place = { ...server, database: name }
  const drop = async () => {
    await sql.unsafe(`drop database "${name}" with (force)`)
    await sql.end()
  }
  return { database: await openPostgres(place), place, drop }
}

/** The same, with tables on the embedded engine: a copy of its files opens in a quarter of the time. */
async function ownMigratedDatabase() {
  if (postgresOfRun() !== undefined) return ownDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'semblance-own-'))
  await copyFolder(inject('migratedFolder'), join(folder, 'data'))
  const database = await openEmbedded(join(folder, 'data'))
  const drop = () => rm(folder, { recursive: true, force: true })
  return { database, place: undefined, drop }
}
