import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { syncFolder } from '../../durable-files.ts'
import { StartupError } from '../../errors.ts'
import { diskFull } from './disk-full.ts'
import { hold, holderOf, ownName } from './lock-holder.ts'

/** How long to wait for a process that holds the folder, because it may be ending. */
const usualPatienceMs = 2_000

/**
 * Claims a data folder for this process, because two engines on one folder would destroy it. The
 * lock is a folder with one entry, which shows others whether its process still exists: see
 * lock-holder.ts.
 * @returns a function that gives the folder back
 * @throws StartupError if another process holds the folder or it cannot be written
 */
export async function lockFolder(
  folder: string,
  patienceMs = usualPatienceMs,
): Promise<() => Promise<void>> {
  const lock = join(folder, 'semblance.lock')
  if (held.has(lock)) throw inUse(folder, `process ${process.pid}`)
  held.add(lock)
  try {
    await makeFolder(folder)
    for (;;) {
      await removeEntries(lock, await outlived(lock, patienceMs))
      const release = await claim(folder, lock)
      if (release === undefined) continue
      await removeClaims(folder).catch(() => {})
      return async () => {
        held.delete(lock)
        await release()
      }
    }
  } catch (error) {
    held.delete(lock)
    if (error instanceof StartupError) throw error
    throw await notWritten(folder, error)
  }
}

/**
 * Checks the lock without writing anything, before anything is created.
 * @throws StartupError if another process holds the folder
 */
export async function refuseHeldFolder(folder: string): Promise<void> {
  await outlived(join(folder, 'semblance.lock'), usualPatienceMs).catch((error) => {
    // A failure to read is reported later, by the code that has to write the folder.
    if (error instanceof StartupError) throw error
  })
}

/**
 * @returns the entries of a lock that nobody holds any more
 * @throws StartupError if somebody still holds it
 */
async function outlived(lock: string, patienceMs: number): Promise<string[]> {
  for (const start = performance.now(); ; await sleep(50)) {
    const entries = await entriesOf(lock)
    const holder = await firstHolder(entries)
    if (holder === undefined) return entries
    if (performance.now() - start > patienceMs) throw inUse(dirname(lock), holder)
  }
}

async function entriesOf(lock: string): Promise<string[]> {
  const names = await readdir(lock).catch((error) => {
    except('ENOENT')(error)
    return []
  })
  return names.map((name) => join(lock, name))
}

const firstHolder = async (entries: readonly string[]) =>
  (await Promise.all(entries.map(holderOf))).find((holder) => holder !== undefined)

/** Removes entries by name. Names are unique, so a late process removes no new holder's entry. */
async function removeEntries(lock: string, entries: readonly string[]): Promise<void> {
  for (const entry of entries) await unlink(entry).catch(except('ENOENT'))
  await rmdir(lock).catch(except('ENOENT', ...isTaken))
}

const isTaken = ['ENOTEMPTY', 'EEXIST']

/** @returns a function that gives the lock back; undefined if somebody else was quicker */
async function claim(folder: string, lock: string): Promise<(() => Promise<void>) | undefined> {
  const made = await mkdtemp(`${lock}.new-`)
  const name = ownName()
  const entry = join(made, name)
  let end: (() => void) | undefined
  try {
    end = await hold(entry)
    // After a start by root, the folder's owner must be able to remove what is left.
    const { uid, gid } = await stat(folder)
    for (const path of [made, entry]) await chown(path, uid, gid).catch(() => {})
    // A folder can only take the place of an empty one, so exactly one process wins.
    await rename(made, lock)
  } catch (error) {
    end?.()
    await rm(made, { recursive: true, force: true })
    // The lock has a new holder, or a holder has removed this claim because it looked left behind.
    except('ENOENT', ...isTaken)(error)
    return undefined
  }
  return async () => {
    await removeEntries(lock, [join(lock, name)])
    end()
  }
}

/** Removes the claims of starts that were killed while they made them. */
async function removeClaims(folder: string): Promise<void> {
  const claims = /^semblance\.lock\.new-\w{6}$/
  for (const name of await readdir(folder)) {
    const claim = join(folder, name)
    if (!claims.test(name) || (await firstHolder(await entriesOf(claim)))) continue
    await rm(claim, { recursive: true, force: true })
  }
}

/** Creates folders one by one: Node's `recursive` tries forever below /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  await makeFolder(dirname(folder))
  // Another start may be quicker.
  await mkdir(folder, { mode: 0o700 }).catch(except('EEXIST'))
  syncFolder(dirname(folder))
}

const except =
  (...codes: string[]) =>
  (error: unknown): void => {
    if (!codes.includes(Object(error).code)) throw error
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

/** The locks that this process holds. */
const held = new Set<string>()

const inUse = (folder: string, holder: string) =>
  new StartupError(
    `the folder ${folder} is in use by ${holder}; stop it or choose another with SERVICE_DATADIR`,
  )
