import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { connectionsOf } from '../db/connections.ts'
import type { Database, Db } from '../db/database.ts'
import { filesIn } from '../db/embedded/files.ts'
import { refuseHeldFolder } from '../db/embedded/folder-lock.ts'
import { openEmbedded } from '../db/embedded/open.ts'
import { type ConnectionOptions, readRootCert } from '../db/postgres/connection-options.ts'
import { openPostgres } from '../db/postgres/engine.ts'
import { allowedConnections, checkLimits, checkServer } from '../db/postgres/server-check.ts'
import { prepareDatabase } from '../db/prepare.ts'
import { StartupError } from '../errors.ts'
import type { Log } from '../log.ts'
import { checkEncryptionKey } from '../secrets/key-check.ts'
import { generatedEncryptionKey, generatedSecret } from '../secrets/key-file.ts'
import { createSealer } from '../secrets/sealing.ts'
import { checkAddress } from './address.ts'

/**
 * Opens the database, brings it up to date and checks the keys. Nothing is written before
 * `lastCheck` has passed.
 * @throws StartupError
 */
export async function openStore(config: Config, log: Log, lastCheck = async (_: Database) => {}) {
  if (config.database === 'postgres') requireKeys(config)
  const database = await openDatabase(config, log)
  try {
    await lastCheck(database)
    const keys = await findKeys(config, database.short.db)
    const sealer = createSealer(keys.encryptionKey)
    const warning = await prepareDatabase(database, (tx) =>
      checkEncryptionKey(tx, sealer, keys.encryptionKeyFile),
    )
    if (warning !== undefined) log.warn(warning)
    return { database, sealer, ...keys }
  } catch (error) {
    await database.close()
    throw error
  }
}

export type Store = Awaited<ReturnType<typeof openStore>>

/**
 * For commands that work on stored data.
 * @throws StartupError if there cannot be any
 */
export function requireFolder({ database, dataDir }: Config): void {
  const folder = resolve(dataDir)
  if (database === 'postgres' || existsSync(folder)) return
  throw new StartupError(
    `there is no folder ${folder} with an embedded database; check SERVICE_DATADIR, or name PostgreSQL with the SERVICE_DB* settings`,
  )
}

/**
 * Requires existing database files: these commands must not create an empty database.
 * @throws StartupError
 */
export function requireFiles({ dataDir }: Config): void {
  if (existsSync(filesIn(resolve(dataDir)))) return
  throw new StartupError(
    `there is no embedded database in ${resolve(dataDir)}; check SERVICE_DATADIR or --data-dir`,
  )
}

/**
 * Checks that the folder and the address are free, before anything is created.
 * @returns the port; a free one if any will do
 * @throws StartupError
 */
export async function checkFree(config: Config): Promise<number> {
  if (config.database === 'embedded') await refuseHeldFolder(resolve(config.dataDir))
  return checkAddress(config.host, config.port)
}

/** Whether a server, or another command, works on the folder of the embedded database. */
export const isHeld = ({ dataDir }: Config) =>
  refuseHeldFolder(resolve(dataDir)).then(
    () => false,
    () => true,
  )

export async function openDatabase(config: Config, log: Log): Promise<Database> {
  if (config.database === 'embedded') {
    return openEmbedded(resolve(config.dataDir), {
      durability: config.durability,
      warn: (note) => log.warn(note),
      inform: (note) => log.info(note),
    })
  }
  const options = connectionOptionsOf(config)
  await checkServer(options, config.dbConnections, log)
  return openPostgres(options, { connections: connectionsOf(config.dbConnections) })
}

/**
 * Compares the connections that the pools may open with what the server allows.
 * @param processes how many processes have this configuration
 * @throws StartupError if the limit can never suffice
 */
export async function checkConnections(config: Config, processes = 1): Promise<void> {
  if (config.database === 'embedded') return
  await checkLimits(connectionOptionsOf(config), config.dbConnections, processes)
}

/** How many connections PostgreSQL allows. @throws StartupError */
export async function allowedBy(config: Config, log: Log): Promise<number> {
  requireKeys(config)
  return allowedConnections(connectionOptionsOf(config), log)
}

function connectionOptionsOf(config: Config): ConnectionOptions {
  const { dbSslMode: mode, dbSslRootCert: file } = config
  return {
    host: config.dbHost,
    port: config.dbPort,
    user: config.dbUser,
    password: config.dbPassword,
    database: config.dbName,
    tls: { mode, ...(file !== undefined && { rootCert: readRootCert(file) }) },
  }
}

function requireKeys({ adminKey, encryptionKey }: Config): void {
  if (adminKey === undefined) {
    throw new StartupError('SERVICE_ADMINKEY is missing; set it to at least 16 characters')
  }
  if (encryptionKey === undefined) {
    throw new StartupError('ENCRYPTION_KEY is missing; set it to at least 32 characters')
  }
}

/**
 * The keys that were given. For the embedded engine, missing keys are generated once and kept, in
 * the files that this returns too.
 */
async function findKeys({ adminKey, encryptionKey, dataDir }: Config, db: Db) {
  const folder = resolve(dataDir)
  const admin = adminKey === undefined ? await generatedSecret(folder, 'admin.key') : undefined
  const encryption =
    encryptionKey === undefined ? await generatedEncryptionKey(db, folder) : undefined
  return {
    adminKey: adminKey ?? admin?.secret ?? '',
    encryptionKey: encryptionKey ?? encryption?.secret ?? '',
    adminKeyFile: admin?.file,
    encryptionKeyFile: encryption?.file,
  }
}
