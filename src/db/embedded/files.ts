import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, existsSync } from 'node:fs'
import { access, chmod, copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { workerScript } from '../../concurrency/worker-script.ts'
import { renameDurably } from '../../durable-files.ts'
import { StartupError, unavailable } from '../../errors.ts'
import type { FilesCopy } from '../database.ts'
import { isForRoom, noRoomExit } from './disk-full.ts'
import type { Engine } from './engine.ts'
import { spareName } from './spare-room.ts'

/** The folder of the database's files, in the data folder. */
export const filesIn = (dataDir: string) => join(dataDir, 'pgdata')

/**
 * Creates the files of a new database if there are none. This happens in a process of its own:
 * initdb is a second WebAssembly program, and this process would keep its memory (250 to 500 MB).
 * The files are moved into place when they are complete, so that no interrupted start leaves half
 * of them there.
 * @throws StartupError that says why they were not made
 */
export async function createFiles(files: string): Promise<void> {
  const unfinished = `${files}.new.`
  await removeLeftOvers(unfinished)
  if (existsSync(files)) return
  const made = unfinished + process.pid
  await runInitdb(made).catch(async (error) => {
    // If the disk is full, these files would keep it full.
    await rm(made, { recursive: true, force: true }).catch(() => {})
    throw error
  })
  renameDurably(made, files)
}

/** Removes what killed starts have left, whose processes may write for a moment longer. */
async function removeLeftOvers(unfinished: string): Promise<void> {
  const folder = dirname(unfinished)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(basename(unfinished))) continue
    const untilEmpty = { maxRetries: 10, retryDelay: 20 }
    await rm(join(folder, name), { recursive: true, force: true, ...untilEmpty }).catch(() => {})
  }
}

async function runInitdb(folder: string): Promise<void> {
  const script = workerScript(import.meta.url, './initdb.ts')
  // To optimize WebAssembly, V8 takes hundreds of MB, and longer than all the work takes without.
  const execArgv = globalThis.Bun === undefined ? ['--liftoff-only'] : []
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const
  const child = fork(script, [folder], { env: {}, execArgv, stdio: [...stdio] })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code, signal] = await once(child, 'close')
  process.off('exit', kill)
  if (code === 0) return
  const cause = new Error(`initdb ended with ${signal ?? code}\n${said}`)
  const where = dirname(folder)
  // The disk is checked before the new files are removed.
  if (code === noRoomExit || (await isForRoom(cause, where))) throw notMade(where, noRoom, cause)
  const isKilled = signal === 'SIGKILL'
  throw notMade(where, isKilled ? noMemory : `: ${cause.message.split('\n', 1)}`, cause)
}

const noRoom =
  ', where it takes some 50 MB; make room or choose another folder with SERVICE_DATADIR'

const noMemory =
  ': what makes it was killed, probably for want of memory. A first start needs 512 MB on Node and 768 MB on Bun; a data folder made on another machine works too'

const notMade = (folder: string, why: string, cause: Error) =>
  new StartupError(`a new embedded database could not be made in ${folder}${why}`, { cause })

/** The copy is next to the files, because a file system can share blocks only within itself. */
const copyOf = (files: string) => `${files}.backup`

/** Also removes what a killed process has left. */
export const removeCopy = (files: string) => rm(copyOf(files), { recursive: true, force: true })

/** @throws 503 if there is no room for the copy */
export async function copyFiles(engine: Engine, files: string): Promise<FilesCopy> {
  await removeCopy(files)
  await engine.atRest(() =>
    copyFolder(files, copyOf(files)).catch(async (cause) => {
      // The statements that go on now need the room.
      await removeCopy(files)
      throw unavailable(
        'The files of the database could not be copied; is there room for a second set of them?',
        cause,
      )
    }),
  )
  return { folder: copyOf(files), remove: () => removeCopy(files) }
}

/**
 * Takes a fifth of the time of Node's own `cp`, which checks more about every file. The spare room is
 * left out: on a full disk it may go meanwhile.
 */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  const entries = await readdir(from, { withFileTypes: true })
  const copied = entries.filter(({ name }) => name !== spareName)
  const copies = await Promise.allSettled(
    copied.map((entry) => {
      const source = join(from, entry.name)
      const target = join(to, entry.name)
      return entry.isDirectory()
        ? copyFolder(source, target)
        : copyFile(source, target, constants.COPYFILE_FICLONE)
    }),
  )
  for (const copy of copies) if (copy.status === 'rejected') throw copy.reason
}

const ofOthers = 0o077

/** The entries of a data folder that belong to the service alone. */
const ours =
  /^(pgdata(\..*)?|vectors|(admin|encryption)\.key(\..*)?|semblance\.lock(\..*)?|lost\+found)$/

/**
 * Closes the folders to other users of the machine, as an unpacked backup may have left them open.
 * A folder that also holds other things stays as it is, because the database's files have a folder
 * of their own.
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
  if ((database.mode & ofOthers) !== 0) await chmod(files, 0o700).catch(notClosed(files, warn))
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
