import postgres from 'postgres'
import { inject } from 'vitest'
import { type AppDependencies, createApp } from '../../src/app.ts'
import type { Database } from '../../src/db/database.ts'
import { openEmbedded } from '../../src/db/embedded/engine.ts'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import { prepareDatabase } from '../../src/db/prepare.ts'
import { createLog } from '../../src/log.ts'
import { checkEncryptionKey } from '../../src/secrets/key-check.ts'
import { createSealer } from '../../src/secrets/sealing.ts'
import { appSettings } from './app.ts'
import { unique } from './factories.ts'

export const encryptionKey = 'the-encryption-key-of-an-own-service'

/** An app on a database that nobody else writes to, so that every change has a known cause. */
export async function startOwnService(settings: Partial<AppDependencies> = {}) {
  const { database, drop } = await ownDatabase()
  const sealer = createSealer(encryptionKey)
  await prepareDatabase(database, (tx) => checkEncryptionKey(tx, sealer))
  const log = { ...createLog(false), info: () => {}, warn: () => {} }
  const service = createApp({ ...appSettings, database, sealer, log, ...settings })
  const close = async () => {
    await database.close()
    await drop()
  }
  return { ...service, database, close }
}

async function ownDatabase(): Promise<{ database: Database; drop: () => Promise<void> }> {
  if (inject('engine') === 'embedded') {
    return { database: await openEmbedded(undefined), drop: async () => {} }
  }
  const url = new URL(inject('databaseUrl'))
  const name = unique('fuzz')
  const server = postgres(url.href, { max: 1, onnotice: () => {} })
  await server.unsafe(`create database "${name}"`)
  const database = await openPostgres({
    host: url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: name,
  })
  const drop = async () => {
    await server.unsafe(`drop database "${name}" with (force)`)
    await server.end()
  }
  return { database, drop }
}
