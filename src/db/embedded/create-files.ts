import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { workerScript } from '../../concurrency/worker-script.ts'
import { renameDurably } from '../../durable-files.ts'
import { StartupError } from '../../errors.ts'
import { isForRoom, noRoomExit } from './disk-full.ts'

/** A first start takes seconds, and this long only if something is wrong with the machine. */
const usualMinutes = 15

/**
 * Creates the files of a new database if there are none. This happens in a process of its own:
 * initdb is a second WebAssembly program, and this process would keep its memory (200 to 400 MB).
 * The files are moved into place when they are complete, so that no interrupted start leaves half
 * of them there.
 * @param minutes after which it is given up
 * @throws StartupError that says why they were not made
 */
export async function createFiles(files: string, minutes = usualMinutes): Promise<void> {
  const unfinished = `${files}.new.`
  await removeLeftOvers(unfinished)
  if (existsSync(files)) return
  const made = unfinished + process.pid
  await runInitdb(made, minutes).catch(async (error) => {
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

async function runInitdb(folder: string, minutes: number): Promise<void> {
  const script = workerScript(import.meta.url, './initdb.ts')
  const child = fork(script, [folder], { env: {}, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    kill()
  }, minutes * 60_000)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code, signal] = await once(child, 'close')
  clearTimeout(late)
  process.off('exit', kill)
  if (code === 0) return
  const cause = new Error(`initdb ended with ${signal ?? code}\n${said}`)
  const where = dirname(folder)
  // The disk is checked before the new files are removed.
  if (code === noRoomExit || (await isForRoom(cause, where))) throw notMade(where, noRoom, cause)
  throw notMade(where, isLate ? tooLate(minutes) : `: ${cause.message.split('\n', 1)}`, cause)
}

const noRoom =
  ', where it takes some 50 MB; make room or choose another folder with SERVICE_DATADIR'
const tooLate = (minutes: number) =>
  ` within ${minutes} minutes; try again when the machine has less to do`

const notMade = (folder: string, why: string, cause: Error) =>
  new StartupError(`a new embedded database could not be made in ${folder}${why}`, { cause })
