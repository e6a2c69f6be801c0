import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { isSame, type Moved, moveRows, refuseFilled, settle } from '../db/move.ts'
import { refuseServers } from '../db/postgres/other-servers.ts'
import { prepareDatabase } from '../db/prepare.ts'
import { StartupError } from '../errors.ts'
import type { Log } from '../log.ts'
import { generatedSecret } from '../secrets/generated.ts'
import { hasKey } from '../secrets/key-check.ts'
import { hasKeyFile } from '../secrets/key-file.ts'
import { reseal } from '../secrets/rotation.ts'
import { openStore, requireFiles, type Store } from './startup.ts'

interface Move {
  readonly source: Config
  /** The destination. It uses the source's keys. */
  readonly target: Config
  /** The key that the target seals with, if it is not the source's. */
  readonly newKey: string | undefined
  readonly log: Log
  /** Reports how many embeddings have been copied. */
  show(done: number, total: number): void
  /** Reports other steps in words. */
  say(line: string): void
}

/** What was moved, and the names of the settings that give the target its keys. */
export interface MovedStore extends Moved {
  readonly resealed: boolean
  readonly keys: readonly string[]
}

/**
 * Copies all stored data into an empty database, in one transaction. Nobody can write to the source
 * meanwhile.
 * @throws StartupError
 */
export async function moveStore(move: Move): Promise<MovedStore> {
  const { source, log } = move
  if (source.database === 'embedded') requireFiles(source)
  await refuseSameFolder(move)
  const from = await openStore(source, log, async (database) => {
    await refuseRunning(database)
    if (await hasKey(database.short.db)) return
    throw new StartupError(
      'there is nothing to move: no server has used that database; check where it is moved from',
    )
  })
  try {
    const into = await openTarget(move, from)
    try {
      return await moveInto(move, from, into)
    } finally {
      await into.database.close()
    }
  } finally {
    await from.database.close()
  }
}

async function moveInto({ show, say }: Move, from: Store, into: Store): Promise<MovedStore> {
  const resealed = from.encryptionKey !== into.encryptionKey
  const rotation = { oldKey: from.sealer, newKey: into.sealer, progress: say }
  let moved: Moved | undefined
  // Both take the lock of the start-up, so that no server starts meanwhile.
  await prepareDatabase(from.database, async (reading) => {
    await prepareDatabase(into.database, async (writing) => {
      moved = await moveRows(reading, writing, into.database.engine, show)
      if (resealed) await reseal(writing.db, rotation)
    })
  })
  if (moved === undefined) throw new Error('nothing was moved')
  await settle(into.database.engine, into.database.maintenance)
  return { ...moved, resealed, keys: keysOf(from, into) }
}

async function openTarget({ target, newKey, log }: Move, from: Store): Promise<Store> {
  const folder = resolve(target.dataDir)
  const check = async (database: Store['database']): Promise<void> => {
    if (await isSame(from.database, database)) throw new StartupError(theSame)
    await refuseRunning(database)
    if (database.isDistributed) {
      throw new StartupError(
        'embeddings are distributed there; move into a plain database, and distribute that',
      )
    }
    await refuseFilled(database.short.db)
    if (target.database === 'embedded' && !(await hasKey(database.short.db))) {
      await keepKeys(from, folder, newKey)
    }
  }
  const config = { ...target, ...(await keysFor(target, from, folder, newKey)) }
  try {
    return await openStore(config, log, check)
  } catch (error) {
    if (error instanceof StartupError) throw new StartupError(`--to: ${error.message}`)
    throw error
  }
}

/** Copies generated keys into the target's folder. */
async function keepKeys(from: Store, folder: string, newKey: string | undefined): Promise<void> {
  if (from.adminKeyFile !== undefined) await generatedSecret(folder, 'admin.key', from.adminKey)
  if (from.encryptionKeyFile === undefined || newKey !== undefined) return
  await generatedSecret(folder, 'encryption.key', from.encryptionKey)
}

/** A key from the source's settings is used for the target, unless the target's folder has one. */
async function keysFor({ database }: Config, from: Store, folder: string, newKey?: string) {
  if (database === 'postgres') {
    return { adminKey: from.adminKey, encryptionKey: newKey ?? from.encryptionKey }
  }
  const inFile = from.encryptionKeyFile !== undefined || (await hasKeyFile(folder))
  return {
    adminKey: from.adminKeyFile === undefined ? from.adminKey : undefined,
    encryptionKey: newKey ?? (inFile ? undefined : from.encryptionKey),
  }
}

/** The settings that give a server of the target those keys that are not in its folder. */
function keysOf(from: Store, into: Store): string[] {
  const isNew = from.encryptionKey !== into.encryptionKey
  const given = (name: string, file: string | undefined) =>
    file === undefined ? `${name} as before` : `${name}_FILE=${file}`
  const encryption = isNew
    ? 'ENCRYPTION_KEY, the one that was given as NEW_ENCRYPTION_KEY'
    : given('ENCRYPTION_KEY', from.encryptionKeyFile)
  return [
    ...(into.encryptionKeyFile === undefined ? [encryption] : []),
    ...(into.adminKeyFile === undefined ? [given('SERVICE_ADMINKEY', from.adminKeyFile)] : []),
  ]
}

const refuseRunning = async ({ engine, short: { db } }: Store['database']) =>
  engine === 'embedded' ? undefined : refuseServers(db)

const theSame = 'this is the source itself; name a new database, or a new folder'

async function refuseSameFolder({ source, target }: Move): Promise<void> {
  if (source.database !== 'embedded' || target.database !== 'embedded') return
  const there = await realpath(target.dataDir).catch(() => undefined)
  if (there === (await realpath(source.dataDir))) throw new StartupError(`--to: ${theSame}`)
}
