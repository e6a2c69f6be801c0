import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '../db/database.ts'
import { errorCode } from '../db/errors.ts'
import { generatedSecret } from './generated.ts'
import { isCurrentKey } from './key-check.ts'
import { createSealer } from './sealing.ts'

const fileIn = (folder: string) => join(folder, 'encryption.key')
const nextTo = (file: string) => `${file}.new`

/** The encryption key that is generated for the embedded engine, kept in its folder. */
export async function generatedEncryptionKey(db: Db, folder: string) {
  await finishReplacement(db, fileIn(folder))
  return generatedSecret(folder, 'encryption.key')
}

/** The file in the folder that keeps this very key, if it is there. */
export async function fileOfKey(folder: string, key: string): Promise<string | undefined> {
  const file = fileIn(folder)
  return (await textOf(file)) === key ? file : undefined
}

/**
 * Puts the next key beside the file, before the database is committed with it. From then on the
 * key that fits the database is in one of the two files, whenever the process dies.
 */
export async function proposeKey(file: string, key: string): Promise<void> {
  const handle = await open(nextTo(file), 'w', 0o600)
  try {
    await handle.chmod(0o600)
    await handle.writeFile(key)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Lets the proposed key take the place of the old one. */
export const adoptKey = (file: string) => rename(nextTo(file), file)

/** After a rotation that died between its commit and `adoptKey`. */
async function finishReplacement(db: Db, file: string): Promise<void> {
  const proposed = await textOf(nextTo(file))
  if (proposed === undefined) return
  const fits = await isCurrentKey(db, createSealer(proposed)).catch((error) => {
    // A new database, which has no tables yet.
    if (errorCode(error) === '42P01') return false
    throw error
  })
  if (fits) await adoptKey(file)
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
