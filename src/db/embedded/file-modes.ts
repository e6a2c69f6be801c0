import { constants } from 'node:fs'
import { access, chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../../errors.ts'

const ofOthers = 0o077

/** What a data folder holds that is nobody's but ours. */
const ours = /^(pgdata(\..*)?|(admin|encryption)\.key(\..*)?|semblance\.lock(\..*)?|lost\+found)$/

/**
 * Takes from other users of the machine what earlier versions let them do with the files of the database.
 * A folder that holds other things as well stays as it is; the files of the database have one of their own.
 * @param warn is told of a folder that belongs to somebody else, and of what cannot be closed to others
 * @throws StartupError when the database's files belong to somebody else and cannot be used
 */
export async function keepPrivate(
  dataDir: string,
  files: string,
  warn: (note: string) => void,
): Promise<void> {
  const user = process.geteuid?.()
  // On Windows there is no such thing.
  if (user === undefined) return
  // Where one is a link, of what it leads to: a link has no mode, and says that all may do everything.
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
  // Made private last, and with it all that is below.
  if ((database.mode & ofOthers) !== 0) await restrict(files).catch(notClosed(files, warn))
}

const belongsTo = (path: string, owner: number, user: number) =>
  `${path} belongs to user ${owner}, and this process runs as user ${user}`

/** Some file systems keep no modes, and an earlier start may have been another user's: neither keeps from going on. */
const notClosed =
  (path: string, warn: (note: string) => void) =>
  ({ message }: Error): void =>
    warn(`${path} could not be closed to other users of the machine: ${message}`)

/** Where folders are mounted, all may belong to one user and be open to another. */
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
