import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '../db/database.ts'
import { renameDurably, writeDurably } from '../durable-files.ts'
import { StartupError } from '../errors.ts'
import { hasKey, isCurrentKey } from './key-check.ts'
import { createSealer } from './sealing.ts'

const fileIn = (folder: string) => join(folder, 'encryption.key')
const nextTo = (file: string) => `${file}.new`

/**
 * A secret in a file that only its owner can read. The first call creates the file, with a new
 * secret.
 * @returns the secret and the file's path
 */
export async function generatedSecret(folder: string, name: string) {
  const file = join(folder, name)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // The file is written before the database is committed: what is sealed with a lost key is lost.
  if (!existsSync(file)) writeDurably(file, randomBytes(32).toString('base64url'))
  await chmod(file, 0o600)
  const kept = (await readFile(file, 'utf8')).trim()
  if (kept.length >= 32) return { secret: kept, file }
  throw new StartupError(`${file} does not hold a key of at least 32 characters; restore it`)
}

/**
 * The encryption key that is generated for the embedded engine, and kept in its folder.
 * @throws StartupError if its file is gone and the database needs it
 */
export async function generatedEncryptionKey(db: Db, folder: string) {
  const file = fileIn(folder)
  await finishReplacement(db, file)
  // A new key would open nothing, and would be mistaken for the lost one.
  if ((await textOf(file)) === undefined && (await hasKey(db))) throw lostKey(file)
  return generatedSecret(folder, 'encryption.key')
}

/** The key file in the folder, if it holds exactly this key. */
export async function fileOfKey(folder: string, key: string): Promise<string | undefined> {
  const file = fileIn(folder)
  return (await textOf(file)) === key ? file : undefined
}

/**
 * Writes the next key to a second file, before the database is committed with it. From then on one
 * of the two files has the key that fits the database, whenever the process dies.
 */
export const proposeKey = (file: string, key: string) => writeDurably(nextTo(file), key)

/** Replaces the old key with the proposed one. */
export const adoptKey = (file: string) => renameDurably(nextTo(file), file)

const lostKey = (file: string) =>
  new StartupError(
    `${file} is missing, and this database does not open without the key in it; restore the file from a backup, or set ENCRYPTION_KEY to that key`,
  )

/** Completes a rotation that died between its commit and `adoptKey`. */
async function finishReplacement(db: Db, file: string): Promise<void> {
  const proposed = await textOf(nextTo(file))
  if (proposed === undefined) return
  if ((await hasKey(db)) && (await isCurrentKey(db, createSealer(proposed)))) adoptKey(file)
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
