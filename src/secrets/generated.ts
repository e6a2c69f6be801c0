import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../durable-files.ts'
import { StartupError } from '../errors.ts'

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
