import { existsSync, readFileSync } from 'node:fs'
import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'
import { diskFull } from './disk-full.ts'

/** How long a process that holds the folder is waited for, which may be ending. */
const usualPatienceMs = 2_000

/**
 * Claims a data folder for this process; two engines on one folder would destroy it.
 * A lock whose process is gone, or whose number now belongs to another process, is taken over.
 * @returns a function that gives the folder back
 * @throws StartupError when another process holds the folder or it cannot be written
 */
export async function lockFolder(
  folder: string,
  patienceMs = usualPatienceMs,
): Promise<() => Promise<void>> {
  const lock = join(folder, 'semblance.lock')
  if (held.has(lock)) throw inUse(folder, process.pid)
  held.add(lock)
  const mine = `${process.pid} ${startTime(process.pid)}`
  const claim = `${lock}.${process.pid}`
  try {
    await makeFolder(folder)
    await writeFile(claim, mine, { mode: 0o600 })
    // link() is atomic and fails when the lock exists, so exactly one process wins.
    while (!(await linked(claim, lock))) await takeOver(lock, claim, patienceMs)
    await removeClaims(folder)
  } catch (error) {
    held.delete(lock)
    if (error instanceof StartupError) throw error
    throw await notWritten(folder, error)
  } finally {
    await rm(claim, { force: true }).catch(() => {})
  }
  return async () => {
    held.delete(lock)
    await rm(lock, { force: true })
  }
}

/**
 * Writes nothing, for what is to be found out before anything is made.
 * @throws StartupError when another process holds the folder
 */
export async function refuseHeldFolder(folder: string): Promise<void> {
  await outlived(join(folder, 'semblance.lock'), usualPatienceMs)
}

/** @returns what the lock says, when no process holds it any more @throws StartupError when one still does */
async function outlived(lock: string, patienceMs: number): Promise<string> {
  for (const start = performance.now(); ; await sleep(50)) {
    const text = await readFile(lock, 'utf8').catch(() => '')
    const pid = holderOf(text)
    if (pid === undefined) return text
    if (performance.now() - start > patienceMs) throw inUse(dirname(lock), pid)
  }
}

/** One by one: below /proc, where none can be made, Node's `recursive` tries for ever. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  await makeFolder(dirname(folder))
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another start was quicker.
    if (error.code !== 'EEXIST') throw error
  })
}

async function notWritten(folder: string, error: unknown): Promise<StartupError> {
  const reason = error instanceof Error && 'code' in error ? error.code : error
  if (reason === 'ENOSPC') return diskFull(folder)
  const owner = (await stat(folder).catch(() => undefined))?.uid
  const user = process.geteuid?.()
  const whose =
    owner === undefined || owner === user
      ? ''
      : `; it belongs to user ${owner}, and this process runs as user ${user}`
  return new StartupError(
    `the folder ${folder} cannot be written (${reason})${whose}; choose another with SERVICE_DATADIR`,
  )
}

/** The locks of this process: in a lock file its number may also be left from an earlier container. */
const held = new Set<string>()

const inUse = (folder: string, pid: number) =>
  new StartupError(
    `the folder ${folder} is in use by process ${pid}; stop it or choose another with SERVICE_DATADIR`,
  )

const linked = (from: string, to: string) =>
  link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

async function takeOver(lock: string, claim: string, patienceMs: number): Promise<void> {
  const holder = await outlived(lock, patienceMs)
  // Of several that find the stale lock one moves it away; a late one may catch the new lock
  // instead, and puts it back.
  const moved = `${claim}.stale`
  await rename(lock, moved).catch(() => {})
  if ((await readFile(moved, 'utf8').catch(() => holder)) !== holder) await linked(moved, lock)
  await rm(moved, { force: true })
}

/** What starts that were killed at once have left. */
async function removeClaims(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid, isMoved] = /^semblance\.lock\.(\d+)(\.stale)?$/.exec(name) ?? []
    if (pid === undefined || Number(pid) === process.pid) continue
    const file = join(folder, name)
    // Empty until it is written; what was moved says who another one was.
    const text = isMoved === undefined ? await readFile(file, 'utf8').catch(() => '') : ''
    const isGone = text === '' ? startTime(Number(pid)) === '' : holderOf(text) === undefined
    if (isGone) await rm(file, { force: true })
  }
}

/** The other process that wrote this into a lock, if it is still there. */
function holderOf(text: string): number | undefined {
  const pid = Number(text.split(' ')[0])
  const holds = pid > 0 && pid !== process.pid && text === `${pid} ${startTime(pid)}`
  return holds ? pid : undefined
}

/** When a process started, in a form that a reused process number does not repeat; '' when it is gone. */
function startTime(pid: number): string {
  try {
    // The name in field 2 of /proc/<pid>/stat may hold spaces, so count from its end: fields 3, 20, 22.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, threads, started = 'unknown'] = [fields[0], fields[17], fields[19]]
    // Ended with all of its threads, though its parent has not asked how.
    return state === 'Z' && Number(threads) <= 1 ? '' : started
  } catch {
    return isAlive(pid) ? 'unknown' : ''
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
