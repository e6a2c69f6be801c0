import { eq } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { settings } from '../db/schema.ts'
import { StartupError } from '../errors.ts'
import type { Sealer } from './sealing.ts'

const name = 'encryption-key-check'
const knownText = 'semblance'

/**
 * Makes sure that this database's secrets were sealed with the key at hand: at the first start a
 * known text is sealed and kept, later it must open.
 * @throws StartupError when it does not
 */
export async function checkEncryptionKey({ db }: Transaction, sealer: Sealer): Promise<void> {
  const value = sealer.seal(knownText, name)
  await db.insert(settings).values({ name, value }).onConflictDoNothing()
  const [row] = await db.select().from(settings).where(eq(settings.name, name))
  try {
    if (row !== undefined && sealer.open(row.value, name) === knownText) return
  } catch {
    // falls through to the refusal: a wrong key and an altered text look the same
  }
  throw new StartupError(
    'ENCRYPTION_KEY is not the key that this database was set up with; start with the original key',
  )
}
