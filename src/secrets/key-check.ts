import { eq } from 'drizzle-orm'
import type { Db, Transaction } from '../db/database.ts'
import { errorCode } from '../db/errors.ts'
import { databaseFacts } from '../db/schema.ts'
import { StartupError, unavailable } from '../errors.ts'
import type { Sealer } from './sealing.ts'

const name = 'encryption-key-check'
const knownText = 'semblance'

const keyCheck = (db: Db) =>
  db.select({ value: databaseFacts.value }).from(databaseFacts).where(eq(databaseFacts.name, name))

function opens(row: { readonly value: string } | undefined, sealer: Sealer): boolean {
  try {
    return row !== undefined && sealer.open(row.value, name) === knownText
  } catch {
    // A wrong key and an altered text look the same.
    return false
  }
}

/** Whether a key was ever used with this database. A new database has no tables yet. */
export async function hasKey(db: Db): Promise<boolean> {
  const rows = await keyCheck(db).catch((error) => {
    if (errorCode(error) === '42P01') return []
    throw error
  })
  return rows.length > 0
}

/** Whether this database's secrets are sealed with the sealer's key. */
export async function isCurrentKey(db: Db, sealer: Sealer): Promise<boolean> {
  const [row] = await keyCheck(db)
  return opens(row, sealer)
}

/**
 * Checks that this database's secrets were sealed with the key at hand. The first start seals and
 * stores a known text, and later starts must be able to open it.
 * @param file where a generated key is kept
 * @throws StartupError if the text does not open
 */
export async function checkEncryptionKey(
  { db }: Transaction,
  sealer: Sealer,
  file?: string,
): Promise<void> {
  // A start with nothing to write takes no lock, so that no long transaction can block it.
  if (await isCurrentKey(db, sealer)) return
  const value = sealer.seal(knownText, name)
  await db.insert(databaseFacts).values({ name, value }).onConflictDoNothing()
  if (!(await isCurrentKey(db, sealer))) throw wrongKey(file)
}

/**
 * Every transaction that seals must call this: a server that still runs with the key from before a
 * rotation must not write with it. The shared lock keeps a rotation from starting before the
 * transaction ends. While a rotation runs, this fails at once, so that nobody holds a connection
 * while waiting for it.
 * @throws 503 if the key was rotated or is being rotated
 */
export async function requireCurrentKey(db: Db, sealer: Sealer): Promise<void> {
  const [row] = await keyCheck(db).for('share', { noWait: true })
  if (opens(row, sealer)) return
  throw unavailable(
    'ENCRYPTION_KEY was rotated while this server ran; it must be restarted with the new key',
  )
}

/**
 * Replaces the known text, and keeps everybody from sealing until the transaction ends.
 * @throws StartupError if the database does not belong to the old key
 */
export async function replaceKeyCheck(db: Db, oldKey: Sealer, newKey: Sealer): Promise<void> {
  const [row] = await keyCheck(db).for('update')
  if (!opens(row, oldKey)) throw wrongKey()
  const value = newKey.seal(knownText, name)
  await db.update(databaseFacts).set({ value }).where(eq(databaseFacts.name, name))
}

const wrongKey = (file?: string) =>
  new StartupError(
    file === undefined
      ? 'ENCRYPTION_KEY is not the key that this database was set up with; start with the original key'
      : `the key in ${file} is not the one that this database was set up with; restore that file, or set ENCRYPTION_KEY to the original key`,
  )
