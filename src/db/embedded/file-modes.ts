import { constants } from 'node:fs'
import { access, chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../../errors.ts'

const ofOthers = 0o077

/** The entries of a data folder that belong to the service alone. */
const ours = /^(pgdata(\..*)?|(admin|encryption)\.key(\..*)?|semblance\.lock(\..*)?|lost\+found)$/

/**
 * Takes away the rights that earlier versions gave other users of the machine to the database's
 * files. A folder that also holds other things stays as it is, because the database's files have a
 * folder of their own.
 * @param warn reports a folder that belongs to somebody else, and files that cannot be closed to
 *   others
 * @throws StartupError if the database's files belong to somebody else and cannot be used
 */
export async function keepPrivate(
  dataDir: string,
  files: string,
  warn: (note: string) => void,
): Promise<void> {
  const user = process.geteuid?.()
  // Windows has no such owners and modes.
  if (user === undefined) return
  // `stat` follows links: a link has no mode of its own, and seems to allow everybody everything.
  const folder = await stat(dataDir)
  const isOwn = folder.uid === user
  if (!isOwn)
    warn(`${belongsTo(dataDir, folder.uid, user)}, and its owner can replace the database`)
  else if (
    (folder.mode & ofOthers) !== 0 &&
    (await readdir(dataDir)).every((name) => ours.test(name))
  )
    await chmod(dataDir, 0o700).catch(notClosed(dataDir, warn))
  const database = await stat(files).catch(() => undefined)
  if (database === undefined) return
  if (database.uid !== user) return refuseUnusable(files, database.uid, user, warn)
  // The folder is closed after everything in it, so while it is open something in it may be too.
  if ((database.mode & ofOthers) !== 0) await restrict(files).catch(notClosed(files, warn))
}

const belongsTo = (path: string, owner: number, user: number) =>
  `${path} belongs to user ${owner}, and this process runs as user ${user}`

/** Only a warning: some file systems keep no modes, and files may belong to another user. */
const notClosed =
  (path: string, warn: (note: string) => void) =>
  ({ message }: Error): void =>
    warn(`${path} could not be closed to other users of the machine: ${message}`)

/** In mounted folders, all files may belong to one user and be open to another. */
async function refuseUnusable(
  files: string,
  owner: number,
  user: number,
  warn: (note: string) => void,
): Promise<void> {
  const said = belongsTo(files, owner, user)
  const { R_OK, W_OK, X_OK } = constants
  await access(files, R_OK | W_OK | X_OK).catch(() => {
    throw new StartupError(
      `${said}; start it as that user, or give it the folder (chown -R ${user} ${files})`,
    )
  })
  warn(`${said}: files of both may keep each other from starting`)
}

async function restrict(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  const below = await Promise.allSettled(
    entries.map((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return restrict(path)
      return entry.isFile() ? chmod(path, 0o600) : undefined
    }),
  )
  await chmod(folder, 0o700)
  for (const each of below) if (each.status === 'rejected') throw each.reason
}
