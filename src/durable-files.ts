import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Writes a file for its owner alone. After a power failure it is either complete or unchanged. */
export function writeDurably(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}.unfinished`
  try {
    rmSync(unfinished, { force: true })
    writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx' })
    sync(unfinished)
    renameDurably(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

/** Renames a file whose content is on disk already. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(to))
}

/** A disk syncs several files in the time of one. This limits the number of files open at once. */
const atOnce = 64

/** Flushes a folder and everything in it to disk. */
export async function syncTree(folder: string): Promise<void> {
  const below = await readdir(folder, { withFileTypes: true, recursive: true })
  const pathsOf = (entries: typeof below) =>
    entries.map((entry) => join(entry.parentPath, entry.name))
  const files = pathsOf(below.filter((entry) => entry.isFile()))
  for (let at = 0; at < files.length; at += atOnce) {
    await Promise.all(files.slice(at, at + atOnce).map(syncOne))
  }
  for (const path of pathsOf(below.filter((entry) => entry.isDirectory()))) syncFolder(path)
  syncFolder(folder)
}

async function syncOne(file: string): Promise<void> {
  const opened = await open(file)
  await opened.sync().finally(() => opened.close())
}

/**
 * Errors to ignore: some file systems cannot sync folders, and some users may not open them.
 * PostgreSQL ignores these too.
 */
const withoutFolders = ['EINVAL', 'EBADF', 'ENOTSUP', 'EISDIR', 'EACCES']

/**
 * Flushes the names of a folder's files to disk. `fdatasync` would not do, because ext4 does not
 * count names as data.
 */
export function syncFolder(folder: string): void {
  try {
    sync(folder)
  } catch (error) {
    if (!withoutFolders.includes(Object(error).code)) throw error
  }
}

function sync(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
